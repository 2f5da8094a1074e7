#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds JSON documents against doc/attest.schema.json.

    python3 tests/schema.py SCHEMA NAME FILE [NAME FILE ...]
    python3 tests/schema.py --break SCHEMA NAME FILE [NAME FILE ...]

NAME is an entry of $defs.  Only the standard library: the part of JSON Schema that the file uses
is evaluated here, and a keyword that this does not know is a mistake in the schema, never passed
over.  Where the module jsonschema is installed, it must agree.  With --break every document is
spoiled as well, an unknown key, a missing key and a wrong type in each object that it holds, and
each must be refused.  Exit status 0 when all is so, 1 when not, 2 for wrong usage.
"""
import copy
import json
import re
import sys

try:
    import jsonschema
except ImportError:
    jsonschema = None

KNOWN = {"description", "title", "$schema", "$defs", "$ref", "type", "properties", "required",
         "additionalProperties", "items", "enum", "anyOf", "minimum", "maximum", "minItems",
         "maxItems", "pattern"}
TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
}


def complaints(value, schema, root, path="$"):
    """What is wrong with the value, a line each; empty when nothing is."""
    unknown = set(schema) - KNOWN
    if unknown:
        sys.exit("schema.py: the schema uses %s, which is not evaluated here" % sorted(unknown))
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        return complaints(value, root["$defs"][name], root, path)
    out = []
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(TYPES[t](value) for t in types):
        return ["%s: %s expected" % (path, " or ".join(types))]
    if "enum" in schema and value not in schema["enum"]:
        out.append("%s: %r is none of %s" % (path, value, schema["enum"]))
    if "anyOf" in schema:
        tries = [complaints(value, s, root, path) for s in schema["anyOf"]]
        if all(tries):
            out += min(tries, key=len)
    if TYPES["number"](value):
        if value < schema.get("minimum", value) or value > schema.get("maximum", value):
            out.append("%s: %r is out of range" % (path, value))
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        out.append("%s: %r is not like %s" % (path, value, schema["pattern"]))
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            out.append("%s: %d entries" % (path, len(value)))
        for k, entry in enumerate(value):
            out += complaints(entry, schema.get("items", {}), root, "%s[%d]" % (path, k))
    if isinstance(value, dict):
        properties, more = schema.get("properties", {}), schema.get("additionalProperties", {})
        out += ["%s: no %s" % (path, k) for k in schema.get("required", []) if k not in value]
        for key, entry in value.items():
            inner = properties.get(key, more)
            if inner is False:
                out.append("%s: %s is unknown" % (path, key))
            elif inner is not True:
                out += complaints(entry, inner, root, path + "." + key)
    return out


def optional(schema):
    """Names of the keys that some object of the schema may lack."""
    found = set()
    if isinstance(schema, dict):
        if isinstance(schema.get("properties"), dict):
            found |= set(schema["properties"]) - set(schema.get("required", []))
        for inner in schema.values():
            found |= optional(inner)
    elif isinstance(schema, list):
        for inner in schema:
            found |= optional(inner)
    return found


def spoiled(document, may_lack):
    """(what was done, document) for the faults that must be seen."""
    def places(value, path):
        if isinstance(value, dict):
            yield path
            for key, entry in value.items():
                if key not in ("grid", "fit"):
                    yield from places(entry, path + [key])
        elif isinstance(value, list) and value:
            yield from places(value[0], path + [0])

    def at(document, path):
        for key in path:
            document = document[key]
        return document

    for path in places(document, []):
        bad = copy.deepcopy(document)
        at(bad, path)["no_such_key"] = 1
        yield "unknown key at %s" % path, bad
        for key in at(document, path):
            bad = copy.deepcopy(document)
            at(bad, path)[key] = {"wrong": {"type": 1}}
            yield "wrong type of %s at %s" % (key, path), bad
            if key not in may_lack:
                bad = copy.deepcopy(document)
                del at(bad, path)[key]
                yield "no %s at %s" % (key, path), bad


def main():
    arguments = sys.argv[1:]
    breaking = arguments[:1] == ["--break"]
    arguments = arguments[breaking:]
    if len(arguments) < 3 or len(arguments) % 2 != 1:
        sys.exit(__doc__)
    with open(arguments[0], encoding="utf-8") as file:
        root = json.load(file)
    if jsonschema is not None:
        jsonschema.Draft202012Validator.check_schema(root)
    failures = faults = 0
    for name, path in zip(arguments[1::2], arguments[2::2]):
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        schema = root["$defs"][name]
        wrong = complaints(document, schema, root)
        if jsonschema is not None:
            other = jsonschema.Draft202012Validator(dict(root, anyOf=[{"$ref": "#/$defs/" + name}]))
            if other.is_valid(document) == bool(wrong):
                wrong = wrong or ["the module jsonschema refuses it"]
        for line in wrong:
            print("FAIL: %s as %s: %s (is it in doc/attest.schema.json?)" % (path, name, line))
            failures += 1
        if breaking and not wrong:
            for fault, bad in spoiled(document, optional(root)):
                faults += 1
                if not complaints(bad, schema, root):
                    print("FAIL: %s as %s: accepted with %s" % (path, name, fault))
                    failures += 1
    print("%d documents, %d faults put in, %d failures" % (len(arguments) // 2, faults, failures))
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
