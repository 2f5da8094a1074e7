# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of attest for bash.  Options and what they take come from `attest COMMAND --describe`,
# names from `attest --list`, so nothing here needs an edit when the program learns something.

# The field of the option that $2 names, as --name or -n, in the description of command $1.
_attest_field() {
    attest "$1" --describe 2>/dev/null | awk -F '\t' -v option="$2" -v field="$3" '
        $1 == "option" && (option == "--" $3 || option == "-" $2) { print $field; exit }'
}

# Names of a kind that begin with the last word of a list such as none,rp.
_attest_names() {
    local head=
    case $2 in *,*) head=${2%,*}, ;; esac
    mapfile -t COMPREPLY < <(compgen -P "$head" -W "$(attest --list "$1" 2>/dev/null)" -- "${2##*,}")
}

_attest() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
    local command=${COMP_WORDS[1]} earlier= kind= value=
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(attest --list commands 2>/dev/null) help --help --version --list" -- "$word")
        return
    fi
    # bash takes --name=value apart into three words.
    if [ "$word" = = ]; then
        word= earlier=${COMP_WORDS[COMP_CWORD-2]}
    elif [ "$before" = = ]; then
        before=${COMP_WORDS[COMP_CWORD-2]} earlier=${COMP_WORDS[COMP_CWORD-3]}
    fi
    if [ "$command" = help ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(attest --list commands 2>/dev/null)" -- "$word")
        return
    fi
    if [ "$command" = --list ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(attest --list 2>/dev/null)" -- "$word")
        return
    fi
    if [ "$before" = --grid ]; then         # KEY=: the options of fit
        mapfile -t COMPREPLY < <(compgen -S = -W "seed $(attest fit --describe 2>/dev/null |
            awk -F '\t' '$1 == "option" && $4 != "" { print $3 }')" -- "$word")
        compopt -o nospace 2>/dev/null
        return
    fi
    if [ "$earlier" = --grid ]; then        # =VALUE,VALUE
        kind=$(_attest_field fit "--$before" 6)
        [ -n "$kind" ] && _attest_names "$kind" "$word"
        return
    fi
    case $before in -*) value=$(_attest_field "$command" "$before" 4) ;; esac
    if [ -n "$value" ]; then
        kind=$(_attest_field "$command" "$before" 6)
        if [ -n "$kind" ]; then
            _attest_names "$kind" "$word"
        fi
        if [ -z "$kind" ] || [ "$kind" = weights ]; then
            mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word")
        fi
    elif [ "${word#-}" != "$word" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(attest "$command" --describe 2>/dev/null |
            awk -F '\t' '$1 == "option" && $5 == "shown" && $3 != "" { print "--" $3 }')" -- "$word")
    elif [ "$command" = verify ] || [ "$command" = claims ]; then
        _attest_names claims "$word"
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}
complete -o filenames -o bashdefault -F _attest attest
