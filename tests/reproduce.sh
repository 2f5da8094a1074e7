#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The main job, whole: attest reproduce with the quick preset, its folder, its report; then, where
# Chromium is installed, the report in a browser: no errors, no requests, every figure visible,
# every link of the contents leading somewhere.
set -u
[ -n "${GNUPLOT-}" ] || { echo "skipped: gnuplot is not installed, so the report has no figures"; exit 77; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL: $*"; exit 1; }
out=$work/out
unset OMP_NUM_THREADS

start=$(date +%s)
"$ATTEST" reproduce --preset quick --out "$out" >"$work/stdout" 2>"$work/stderr"
status=$?
cat "$work/stdout" "$work/stderr"
for log in "$out"/*/log.txt; do [ -s "$log" ] && { echo "== $log"; cat "$log"; }; done
[ $status = 0 ] || fail "reproduce ended with status $status"
echo "reproduce took $(($(date +%s) - start)) s"
for file in config.json summary.json report.html; do
    [ -s "$out/$file" ] || fail "$file is missing"
done
find "$out" -name '*.tmp*' -o -name '.*-*.svg' | grep . && fail "temporary files are left"
grep -q 'made up by the program' "$out/report.html" || fail "the report hides that its data are made up"
grep -E -i '(src|href)="?(https?:)?//|url\((https?:)?//' "$out/report.html" && fail "the report refers to the network"

# A second run in the same folder is refused, and --force allows it (usage only: nothing runs).
"$ATTEST" reproduce --out "$out" >/dev/null 2>"$work/stderr"
[ $? = 2 ] || fail "a folder that holds a run was not refused"
grep -q -e '--force' "$work/stderr" || fail "the refusal names no remedy"

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    { echo "no Chromium: the report was not opened in a browser"; exit 0; }
# The page looks at itself: what it finds goes into the title.
cp "$out/report.html" "$work/look.html"
cat >>"$work/look.html" <<'EOF'
<script>
addEventListener('load', () => {
  const faults = [];
  const drawings = document.querySelectorAll('figure');
  drawings.forEach((f, k) => {
    const s = f.querySelector('svg'), box = s && s.getBoundingClientRect();
    if (!box || box.width < 200 || box.height < 100) faults.push('figure ' + k + ' is not visible');
    if (s && s.querySelectorAll('path, image, rect, use').length < 5) faults.push('figure ' + k + ' is empty');
    const caption = s && document.getElementById(s.getAttribute('aria-labelledby'));
    if (!caption || caption.textContent.length < 20) faults.push('figure ' + k + ' has no text');
  });
  const links = document.querySelectorAll('nav a');
  document.querySelectorAll('a[href^="#"]').forEach(a => { if (!document.querySelector(a.getAttribute('href'))) faults.push(a.href + ' leads nowhere'); });
  const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
  if (new Set(ids).size != ids.length) faults.push('an id stands twice');
  if (document.documentElement.scrollWidth > innerWidth + 1) faults.push('the page is wider than the screen');
  document.title = 'figures=' + drawings.length + ' links=' + links.length + ' faults=[' + faults.join('; ') + ']';
});
</script>
EOF
for size in 1280,900 390,844; do
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
        --disable-background-networking --disable-component-update --disable-sync \
        --user-data-dir="$work/profile-$size" --window-size=$size --enable-logging=stderr \
        --log-net-log="$work/net.json" --dump-dom "file://$work/look.html" >"$work/dom" 2>"$work/console" ||
        fail "Chromium did not open the report"
    title=$(sed -n 's/.*<title>\(figures=[^<]*\)<.*/\1/p' "$work/dom" | head -n 1)
    echo "at $size: $title"
    case $title in
        figures=0*) fail "the report has no figures" ;;
        figures=*links=0*) fail "the contents are empty" ;;
        figures=*"faults=[]") ;;
        *) fail "the report has faults at $size" ;;
    esac
    grep -E 'CONSOLE.*(error|Error|Refused|Failed)' "$work/console" && fail "the console has errors"
    grep -o '"url":"[a-z]*://[^"]*"' "$work/net.json" 2>/dev/null | grep -v '"url":"\(file\|data\|chrome\)' |
        grep -v -E 'google|gstatic|googleapis' && fail "the report made a request"
done
exit 0
