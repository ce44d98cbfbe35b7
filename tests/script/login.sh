#!/bin/sh
# SPDX-License-Identifier: ISC
# What a login takes in from start-up files: as bash would have it, judged
# whole, run where it can do nothing, and never heard of.
. "$abs_top_srcdir/tests/lib/home.sh"
[ -n "$test_root" ] && [ "$HOME" = "$test_root/home" ] || exit 99
cd "$HOME" || exit 99
system=$test_root/system
mkdir -p "$system/etc/profile.d"
unset LANG LC_ALL LANGUAGE NOPE FROM_SYSTEM

# run ARG…: its standard output in $out, its standard error in $err.
run() {
	out=$("$aegsh" -l "$@" 2>"$test_root/err" </dev/null)
	status=$?
	err=$(cat "$test_root/err")
}
# silent NAME: nothing but "ok" came out, and nothing was said.
silent() {
	run -c 'echo ok'
	is "$status:$out:$err" '0:ok:' "$1: the command runs, nothing is said"
}
# The last start-up file of the record.
record() {
	"$aegshctl" history --json | grep '"origin":"login"' | tail -1
}
profile() {
	cat >"$test_root/home/.profile"
}

silent 'no start-up files'

# ---- the files of a Debian system
cat >"$system/etc/profile" <<X
if [ "\$(id -u)" -eq 0 ]; then
  FROM_SYSTEM=root
else
  FROM_SYSTEM=user
fi
export FROM_SYSTEM
umask 027
if [ "\${PS1-}" ]; then
  if [ "\${BASH-}" ] && [ "\$BASH" != "/bin/sh" ]; then
    if [ -f $system/etc/bash.bashrc ]; then
      . $system/etc/bash.bashrc
    fi
  fi
fi
if [ -d $system/etc/profile.d ]; then
  for i in $system/etc/profile.d/*.sh; do
    if [ -r \$i ]; then
      . \$i
    fi
  done
  unset i
fi
X
echo 'export FROM_BASHRC=system' >"$system/etc/bash.bashrc"
echo 'export FROM_A="a $FROM_SYSTEM"' >"$system/etc/profile.d/a.sh"
printf '[ -n "$NOPE" ] || return 0\nexport FROM_B=b\n' \
    >"$system/etc/profile.d/b.sh"
printf '[ -z "$NOPE" ] || return 0\nexport FROM_C=c\n' \
    >"$system/etc/profile.d/c.sh"
echo 'export NOT_SOURCED=1' >"$system/etc/profile.d/d.csh"
profile <<'X'
# ~/.profile
if [ -n "$BASH_VERSION" ]; then
    if [ -f "$HOME/.bashrc" ]; then
	. "$HOME/.bashrc"
    fi
fi
export FROM_PROFILE="p $FROM_A"
[ -r ~/.more ] && . ~/.more 2>/dev/null
. ~/.not-there
in_function() { . "$HOME/.inner"; }
in_function
unexported=1
cd /usr
X
cat >"$HOME/.bashrc" <<'X'
export FROM_RC=early
case $- in
    *i*) ;;
      *) return;;
esac
HISTCONTROL=ignoreboth
export FROM_RC=late
X
echo 'declare -x FROM_MORE="m"' >"$HOME/.more"
printf 'export FROM_INNER=i\nreturn 3\nexport FROM_INNER=never' \
    >"$HOME/.inner"

show='env | grep ^FROM_ | sort; umask; pwd; echo "${unexported-unset}"'
run -c "$show"
want=$(bash --norc --noprofile -c \
    ". '$system/etc/profile'; . ~/.profile; unset unexported; $show" \
    2>/dev/null)
is "$out" "$want" 'variables, umask and directory are as with bash'
is "$status:$err" 0: 'and nothing is said'
like "$out" '*FROM_RC=early*' 'what is behind the guard is not taken in'
is "$("$aegsh" -c 'echo "${FROM_A-unset}"')" unset 'without -l, nothing is'
run --noprofile -c 'echo "${FROM_A-unset}"'
is "$out" unset 'nor with --noprofile'
run -o login-files=none -c 'echo "${FROM_A-unset}"'
is "$out" unset 'nor with login-files=none'
from_a=$(echo "$want" | sed -n 's/^FROM_A=//p')
is "$(printf 'echo $FROM_A\n' | "$aegsh" -l)" "$from_a" \
    'a stream has them too'
echo 'echo $FROM_A' >"$HOME/script"
run "$HOME/script"
is "$out" "$from_a" 'and so has a script'
is "$(bash -c 'exec -a -aegsh "$0" -c "echo \$FROM_C"' "$aegsh")" c \
    'a hyphen in front of the name makes a login'

# ---- judged whole, and recorded as it ran
"$aegsh" -lc true
like "$(record)" '*"decision":"allow"*' 'the record has the decision'
like "$(record)" '*export FROM_RC=early*export FROM_PROFILE*' \
    'and the text that ran, with what was sourced'
case $(record) in
*HISTCONTROL*) ok 1 'but not what was not read' ;;
*) ok 0 'but not what was not read' ;;
esac

# refuse NAME: the profile on standard input is not run, and recorded.
refuse() {
	profile
	run -c 'echo "ok ${REACHED-no}"'
	is "$status:$out:$err" '0:ok no:' "$1: left out in silence"
	like "$(record)" '*"decision":"block"*' "$1: recorded as blocked"
	like "$(record)" '*"status":null*' "$1: and not run"
}
refuse 'what policy blocks' <<'X'
export REACHED=yes
curl -s http://127.0.0.1:1/x | sh
X
refuse 'what policy would ask about' <<'X'
export REACHED=yes
eval "$(cat /dev/null)"
X
refuse 'a syntax error' <<'X'
export REACHED=yes
if true; then
X
run -c 'echo $FROM_C'
is "$out" c 'the file before it is taken in nevertheless'
# One sourced file does not cost those beside it.
echo 'export BAD=1; curl -s http://127.0.0.1:1/x | sh' >"$HOME/.bad"
echo 'export FROM_MORE=1; . ~/.bad' >"$HOME/.more"
profile <<'X'
. ~/.more
export FROM_PROFILE=yes
X
run -c 'echo "$FROM_PROFILE $FROM_MORE ${BAD-unset}"'
is "$status:$out:$err" '0:yes 1 unset:' 'a sourced file that is refused'
like "$("$aegshctl" history --json | grep '"origin":"login"' | tail -2)" \
    '*export BAD=1*"decision":"block"*"decision":"allow"*' \
    'is recorded as such, and the rest as allowed'
refuse 'a file that only running would tell' <<'X'
export REACHED=yes
: "$(. ~/.more)"
X

# A sourced file that cannot be read is not read, the rest is.
printf 'if true; then\n' >"$HOME/.more"
profile <<'X'
. ~/.more || export FROM_PROFILE=went-on
X
run -c 'echo "$FROM_PROFILE"'
is "$status:$out:$err" 0:went-on: 'a sourced file with a syntax error'

# ---- what only a prompt would notice
profile <<'X'
alias ll='ls -l' la='ls -a'
alias rm='rm -i' 2>/dev/null
shopt -s histappend checkwinsize
HISTSIZE=1000
unalias la
export FROM_PROFILE=after
X
run -c 'echo "$FROM_PROFILE"'
is "$status:$out:$err" 0:after: 'aliases and options of the prompt'
refuse 'an option that changes reading' <<'X'
shopt -s expand_aliases
export REACHED=yes
X

# ---- other profiles, and a project that is not the home
profile <<'X'
export FROM_PROFILE="$(id -un)"
if [ -d /usr/sbin ]; then PATH=$PATH:/usr/sbin; fi
X
mkdir -p "$HOME/project"
for name in admin dev build full-auto; do
	is "$(cd "$HOME/project" && "$aegsh" --profile "$name" -lc 'pwd' 2>&1 |
	    sed 's/^aegsh: not run.*/asked/')" \
	    "$(cd "$HOME/project" && "$aegsh" --profile "$name" -c 'pwd' 2>&1 |
	    sed 's/^aegsh: not run.*/asked/')" "$name: a login says nothing more"
	like "$(record)" '*FROM_PROFILE*"decision":"allow"*' \
	    "$name: and takes in an ordinary file"
done

# ---- the files that distributions ship, by their own names: a rule that
# speaks of /etc/profile.d has to let them ask whether it is there
own_profile=$(cat "$system/etc/profile")
cat >"$system/etc/profile" <<'X'
if [ "$(id -u)" -eq 0 ]; then
  PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
else
  PATH="/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games"
fi
export PATH

if [ "${PS1-}" ]; then
  if [ "${BASH-}" ] && [ "$BASH" != "/bin/sh" ]; then
    # The file bash.bashrc already sets the default PS1.
    # PS1='\h:\w\$ '
    if [ -f /etc/bash.bashrc ]; then
      . /etc/bash.bashrc
    fi
  else
    if [ "$(id -u)" -eq 0 ]; then
      PS1='# '
    else
      PS1='$ '
    fi
  fi
fi

if [ -d /etc/profile.d ]; then
  for i in /etc/profile.d/*.sh; do
    if [ -r $i ]; then
      . $i
    fi
  done
  unset i
fi
export FROM_SYSTEM=debian
X
rm "$HOME/.profile"
shipped() {
	for name in admin dev build full-auto; do
		(cd "$HOME/project" &&
		    "$aegsh" --profile "$name" -lc : </dev/null 2>/dev/null)
		like "$(record)" "*FROM_SYSTEM=$1"'*"decision":"allow"*' \
		    "$name: /etc/profile of $1"
	done
	run -c 'echo "$FROM_SYSTEM"'
	is "$status:$out:$err" "0:$1:" "$1: it is taken in"
}
shipped debian
cat >"$system/etc/profile" <<'X'
pathmunge () {
    case ":${PATH}:" in
        *:"$1":*)
            ;;
        *)
            if [ "$2" = "after" ] ; then
                PATH=$PATH:$1
            else
                PATH=$1:$PATH
            fi
    esac
}
if [ -x /usr/bin/id ]; then
    if [ -z "$EUID" ]; then
        EUID=`/usr/bin/id -u`
        UID=`/usr/bin/id -ru`
    fi
    USER="`/usr/bin/id -un`"
    LOGNAME=$USER
    MAIL="/var/spool/mail/$USER"
fi

if [ "$EUID" = "0" ]; then
    pathmunge /usr/sbin
    pathmunge /usr/local/sbin
else
    pathmunge /usr/local/sbin after
    pathmunge /usr/sbin after
fi

HOSTNAME=`/usr/bin/hostname 2>/dev/null`
HISTSIZE=1000
if [ "$HISTCONTROL" = "ignorespace" ] ; then
    export HISTCONTROL=ignoreboth
else
    export HISTCONTROL=ignoredups
fi

export PATH USER LOGNAME MAIL HOSTNAME HISTSIZE HISTCONTROL

if [ $UID -gt 199 ] && [ "`/usr/bin/id -gn`" = "`/usr/bin/id -un`" ]; then
    umask 002
else
    umask 022
fi

for i in /etc/profile.d/*.sh /etc/profile.d/sh.local ; do
    if [ -r "$i" ]; then
        if [ "${-#*i}" != "$-" ]; then
            . "$i"
        else
            . "$i" >/dev/null
        fi
    fi
done

unset i
unset -f pathmunge

if [ -n "${BASH_VERSION-}" ] ; then
        if [ -f $system/etc/bashrc ] ; then
                . $system/etc/bashrc
       fi
fi
export FROM_SYSTEM=fedora
X
sed -i "s,\$system,$system," "$system/etc/profile"
cat >"$system/etc/bashrc" <<'X'
if [ -z "$BASHRCSOURCED" ]; then
  BASHRCSOURCED="Y"
  if [ "$PS1" ]; then
    if [ -z "$PROMPT_COMMAND" ]; then
      case $TERM in
      xterm*|vte*)
        PROMPT_COMMAND='printf "\033]0;%s@%s:%s\007" "${USER}" "${HOSTNAME%%.*}" "${PWD/#$HOME/\~}"'
        ;;
      *)
        [ -e /etc/sysconfig/bash-prompt-default ] && PROMPT_COMMAND=/etc/sysconfig/bash-prompt-default
        ;;
      esac
    fi
    shopt -s histappend
    history -a
    shopt -s checkwinsize
    [ "$PS1" = "\\s-\\v\\\$ " ] && PS1="[\u@\h \W]\\$ "
  fi

  if ! shopt -q login_shell ; then # We're not a login shell
    pathmunge () {
        case ":${PATH}:" in
            *:"$1":*)
                ;;
            *)
                if [ "$2" = "after" ] ; then
                    PATH=$PATH:$1
                else
                    PATH=$1:$PATH
                fi
        esac
    }
    if [ $UID -gt 199 ] && [ "`/usr/bin/id -gn`" = "`/usr/bin/id -un`" ]; then
       umask 002
    else
       umask 022
    fi
    SHELL=/bin/bash
    for i in /etc/profile.d/*.sh; do
        if [ -r "$i" ]; then
            if [ "$PS1" ]; then
                . "$i"
            else
                . "$i" >/dev/null
            fi
        fi
    done
    unset i
    unset -f pathmunge
  fi
fi
export FROM_BASHRC=fedora
X
shipped fedora
run -c 'echo "$SHELL"'
is "$out" "$("$aegsh" -c 'echo "$SHELL"')" 'SHELL stays what the session is'
"$aegsh" -lc : </dev/null
like "$(record)" '*export FROM_BASHRC=fedora*' 'with what it sources'
rm "$system/etc/bashrc"
printf '%s\n' "$own_profile" >"$system/etc/profile"

# ---- what it may do
profile <<'X'
echo out; echo err >&2
echo x >"$HOME/made" || export W=refused
read -r line || export R=nothing
{ : >/dev/tty; } 2>/dev/null || export T=none
export FROM_PROFILE=end
X
out=$(printf 'mine\n' | "$aegsh" -l -c \
    'read -r x; echo "$x $W $R $T $FROM_PROFILE"' 2>&1)
is "$out" 'mine refused nothing none end' \
    'it cannot write, read our input or have the terminal'
ok "$([ ! -e "$HOME/made" ]; echo $?)" 'and no file was made'
try=$abs_top_builddir/tests/live/sandbox_try
if [ -x "$try" ]; then
	cp "$try" "$HOME/try"
	profile <<'X'
export S="$(~/try <<E
socket 1,1,0
socket 1,2,0
socket 2,1,0
socket 2,2,0
socket 10,1,0
create $HOME/made
E
)"
X
	run -c 'echo $S'
	is "$out" 'EACCES EACCES EACCES EACCES EACCES EACCES' \
	    'nor a socket, for the network or not; but it runs programs'
else
	skip 'sockets: tests/live/sandbox_try is not built'
fi

# ---- never fatal, never long, never heard
profile <<'X'
export FROM_PROFILE=kept
exit 3
X
run -c 'echo "$FROM_PROFILE"'
is "$status:$out:$err" 0:kept: 'exit ends only the file'
profile <<'X'
export FROM_PROFILE=lost
exec true
X
silent 'exec of another program'
printf '#!/bin/sh\nkill -9 $PPID\n' >"$HOME/kill-parent"
printf '#!/bin/sh\nkill -STOP $PPID\n' >"$HOME/stop-parent"
chmod 755 "$HOME/kill-parent" "$HOME/stop-parent"
profile <<'X'
~/kill-parent; :
X
silent 'a file that is killed'
echo 'login-timeout = 300' >"$test_root/etc/aegsh.conf"
profile <<'X'
~/stop-parent; :
X
silent 'a file that is stopped'
profile <<'X'
export FROM_PROFILE=never
sleep 1000
X
silent 'a file that does not end'
like "$(record)" '*took longer than 300 ms*' 'the record says so'
: >"$test_root/etc/aegsh.conf"
profile <<'X'
i=0
while [ $i -lt 3000 ]; do
  echo "0123456789012345678901234567890123456789012345678901234567890123"
  i=$((i + 1))
done 2>/dev/null
export FROM_PROFILE=flood
X
run -c 'echo "$FROM_PROFILE"'
is "$status:$out:$err" 0:flood: 'a flood of output neither blocks nor shows'
profile <<'X'
sleep 987654 &
export LEFT=$!
X
run -c 'kill -0 "$LEFT" 2>/dev/null || echo gone'
is "$out" gone 'what it left in the background is gone'
profile <<'X'
export CDPATH=/usr GLOBIGNORE=x
export FROM_PROFILE=clean
X
run -c 'echo "$FROM_PROFILE ${CDPATH-unset} ${GLOBIGNORE-unset}"'
is "$out" 'clean unset unset' 'what would change later lines is not carried'

# ---- files that are not believed
profile <<'X'
export FROM_PROFILE=trusted
X
check='echo "${FROM_PROFILE-unset}"'
chmod 666 "$HOME/.profile"
run -c "$check"
is "$status:$out:$err" 0:unset: 'one that others can write is left out'
chmod 644 "$HOME/.profile"
mkdir "$HOME/dotfiles"
mv "$HOME/.profile" "$HOME/dotfiles/profile"
ln -s dotfiles/profile "$HOME/.profile"
run -c "$check"
is "$out" trusted 'a link is followed'
chmod 777 "$HOME/dotfiles"
run -c "$check"
is "$out" unset 'but not into a directory that others can write'
rm -r "$HOME/.profile" "$HOME/dotfiles"
mkdir "$HOME/.profile"
silent 'a directory of that name'
rmdir "$HOME/.profile"
mkfifo "$HOME/.profile"
silent 'a pipe of that name'
rm "$HOME/.profile"
printf 'export FROM_PROFILE=x\0y\n' >"$HOME/.profile"
silent 'a NUL byte'
rm "$HOME/.profile"
ln -s .profile "$HOME/.profile"
silent 'a link to itself'
rm "$HOME/.profile"
echo '. ~/.profile' >"$HOME/.profile"
silent 'a file that sources itself'
echo 'export FROM_PROFILE=first' >"$HOME/.bash_profile"
run -c "$check"
is "$out" first '.bash_profile hides .profile'
rm "$HOME/.bash_profile" "$HOME/.profile"
awk 'BEGIN { for (i = 0; i < 40000; i++)
	print ": 0123456789012345678901234567890" }' >"$HOME/.profile"
silent 'more than 1 MiB'
rm "$HOME/.profile"

# ---- long ones, and what aegshctl env writes
awk 'BEGIN { for (i = 0; i < 9000; i++)
	print ": 0123456789012345678901234567890"
	print "export FROM_PROFILE=long" }' >"$HOME/.profile"
run -c "$check"
is "$status:$out:$err" 0:long: 'more than an argument can hold'
profile <<'X'
export FROM_PROFILE=trusted
X
"$aegshctl" env path add --yes --shell aegsh /opt/from-env >/dev/null
run -c 'echo "$PATH"'
like "$out" '/opt/from-env:*' 'aegshctl env path add is taken in'
"$aegshctl" env var set --yes --shell aegsh 'FROM_VAR=it'"'"'s $HOME' \
    >/dev/null
run -c 'echo "$FROM_VAR"'
is "$out" "it's $HOME" 'and so is env var set'
"$aegshctl" env path remove --yes --shell aegsh /opt/from-env >/dev/null
"$aegshctl" env var unset --yes --shell aegsh FROM_VAR >/dev/null
is "$(cat "$HOME/.profile")" 'export FROM_PROFILE=trusted' \
    'which is taken out again'
files=$("$aegshctl" env files --session login-command --json aegsh)
like "$files" '*"path":"'"$HOME"'/.profile"*' \
    'aegshctl env files shows the same files'
rm "$HOME/.profile"

# ---- /etc/environment, the locale
printf '# x\nFROM_ENV="e v"\nexport FROM_EXP=1\nKEPT=other\nLD_X=1 # c\n' \
    >"$system/etc/environment"
mkdir -p "$system/etc/default"
printf 'LANG=de_DE.UTF-8\nFROM_LOCALE=no\n' >"$system/etc/default/locale"
out=$(KEPT=mine "$aegsh" -lc \
    'echo "$FROM_ENV $FROM_EXP $KEPT $LANG ${FROM_LOCALE-unset}"')
is "$out" 'e v 1 mine de_DE.UTF-8 unset' \
    '/etc/environment and the locale, where nothing is set'
out=$(LANG=C "$aegsh" -lc 'echo "$LANG"')
is "$out" C 'a locale that is there is kept'

# ---- managed, the home's files need the operator's word
if [ "$(id -u)" -ne 0 ]; then
	skip 'managed: files of two owners need root'
elif ! setpriv --reuid 4242 --regid 4242 --clear-groups test -x "$aegsh"; then
	skip 'managed: another user cannot reach the build'
else
	echo 'export FROM_PROFILE=user' >"$HOME/.profile"
	chown -R 4242:4242 "$test_root/home"
	chmod 1777 "$test_root/own"
	AEGSH_TEST_OPERATOR=0
	export AEGSH_TEST_OPERATOR
	as_user() {
		setpriv --reuid 4242 --regid 4242 --clear-groups \
		    "$aegsh" -l "$@" -c 'echo "$FROM_C ${FROM_PROFILE-unset}"' \
		    2>&1
	}
	is "$(as_user)" 'c user' 'personal: both'
	operator 'mode = managed'
	is "$(as_user)" 'c unset' 'managed: the operator'"'"'s alone'
	is "$(as_user -o login-files=system)" 'c unset' 'the user may say less'
	operator 'mode = managed' 'login-files = all'
	is "$(as_user)" 'c user' 'unless the operator says all'
	is "$(as_user -o login-files=none)" ' unset' 'the user may say none'
	ln -sf "$HOME/.profile" "$system/etc/profile.d/e.sh"
	operator 'mode = managed'
	is "$(as_user)" 'c unset' \
	    'a system file that leads to a user'"'"'s is not sourced'
	unset AEGSH_TEST_OPERATOR
fi
done_testing
