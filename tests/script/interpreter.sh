#!/bin/sh
# SPDX-License-Identifier: ISC
# A script that auto-shebang starts: what really runs it is what is judged,
# explained and recorded.
. "$abs_top_srcdir/tests/lib/home.sh"
cd "$HOME" || exit 99

mkdir -p any project/bin project/scripts bare
# A copy: the build's directory need not be one that commands may execute in.
cp "$abs_top_builddir/auto-shebang" any/auto-tool
sh=$(readlink -f /bin/sh)
ln -s "$sh" project/bin/auto-tool
cat >project/scripts/deploy <<EOF
#!/usr/bin/env $HOME/any/auto-tool
echo deployed
EOF
chmod 755 project/scripts/deploy
cp project/scripts/deploy bare/deploy

# last: a member of the newest row, "-" for null.
last() {
	"$aegshctl" history --json -n 1 | "${PYTHON3:-python3}" -c '
import json, sys
row = json.loads(sys.stdin.read())
print("-" if row[sys.argv[1]] is None else row[sys.argv[1]])' "$1"
}

out=$("$aegsh" -c project/scripts/deploy)
is "$out" deployed 'the script runs'
is "$(last line)" project/scripts/deploy 'it is recorded'
is "$(last interpreter)" "$sh" 'with what really ran it'
"$aegsh" -c 'echo plain' >/dev/null
is "$(last interpreter)" - 'a line without a script has none'

out=$("$aegshctl" parse project/scripts/deploy)
like "$out" "*deploy by $sh*" 'aegshctl parse shows it'
out=$("$aegshctl" test --explain project/scripts/deploy)
like "$out" "*deploy by $sh*" 'aegshctl test --explain, too'
case $out in
*"can't be followed"* | *'not all'*) ok 1 'and all is followed' ;;
*) ok 0 'and all is followed' ;;
esac

# No interpreter: not followed, and so never allowed by itself.
out=$("$aegshctl" parse --json bare/deploy)
like "$out" '*"not_all_followed":true*' 'none found: not followed'
done_testing
