#!/bin/sh
# SPDX-License-Identifier: ISC
# Completion words: they come from the rows, and fish takes them, too.
# (bash and zsh are tested on a terminal, in tests/pty.)
. "$abs_top_srcdir/tests/lib/home.sh"

words() {
	"$aegshctl" __complete "$@" | cut -f 1 | tr '\n' ' '
}
verbs=$("$aegshctl" help | sed -n 's/^  \([a-z][a-z]*\).*/\1/p' | uniq | tr '\n' ' ')
is "$(words aegshctl '')" "help --help --version $verbs" 'all the verbs'
is "$(words aegshctl hist)" 'history ' 'those that begin so'
is "$(words aegshctl help hist)" 'history ' 'behind help'
is "$(words aegshctl config '')" 'show ' 'the second word'
is "$(words aegshctl history -)" '--json --limit -n --since --until --search --output --decision --status --rule --cwd --host --session --program --file --unfinished --no-index --user --all ' 'options'
is "$(words aegshctl history --decision '')" 'allow confirm block ' 'arguments'
is "$(words aegshctl history --json --user '')" ':user ' 'a directive'
is "$(words aegshctl history --limit 5 --unf)" '--unfinished ' \
    'an argument is passed over'
is "$(words aegshctl nonsense '')" '' 'no such verb'
is "$(words aegsh -o fail=)" 'fail=block fail=ask fail=policy fail=default ' \
    'words of a setting'
is "$(words aegsh -o debug=)" 'debug=yes debug=no ' 'of a bool'
is "$(words aegsh -o mo)" 'model= ' "the operator's alone are not offered"
is "$(words aegsh -c 'ls' '')" ':file ' 'operands of aegsh are files'
"$aegshctl" __complete 2>/dev/null
is "$?" 100 'no program: 100'
"$aegshctl" __complete othershell ''
is "$?" 1 'another program: 1'

# Each setting that a user may set is offered.
is "$(words aegsh -o '' | tr ' ' '\n' | grep -c =)" \
    "$("$aegshctl" config show --json | grep -c '"scope":"user"')" \
    'all settings'

# aegsh's own options, from what it says of itself.
is "$("$aegshctl" __complete aegsh - | cut -f 1 | sort | tr '\n' ' ')" \
    "$("$aegsh" --help | sed -n 's/^  \(-.\{10\}\) .*/\1/p' |
	tr -s ', ' '\n' | sort | tr '\n' ' ')" 'the options of aegsh are those of aegsh --help'

if command -v fish >/dev/null; then
	PATH=$abs_top_builddir/tests/bin:$PATH
	export PATH
	fishes() {
		fish --no-config -c "source '$abs_top_srcdir/completions/fish/aegsh.fish'
		    complete -C '$1'" | cut -f 1 | tr '\n' ' '
	}
	is "$(fishes 'aegshctl hist')" 'history ' 'fish: a verb'
	is "$(fishes 'aegshctl history --unf')" '--unfinished ' 'fish: an option'
	is "$(fishes 'aegsh -o debug=')" 'debug=no debug=yes ' 'fish: a setting'
	cd "$test_root" && : >some-file
	is "$(fishes 'aegsh some-f')" 'some-file ' 'fish: a file'
else
	skip 'fish is not installed'
fi
done_testing
