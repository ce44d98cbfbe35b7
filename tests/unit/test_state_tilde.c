/* SPDX-License-Identifier: ISC */
/* Tilde prefixes, each compared with what bash makes of the word. */
#include "aegsh/state.h"

#include "aegsh/base/mem.h"
#include "launch.h"
#include "scratch.h"
#include "tap.h"

static const char *const words[] = {
	"~", "~/", "~/x", "~//x/", "~root", "~root/x", "~nosuchuser",
	"~nosuchuser/x", "~+", "~+/x", "~-", "~-/x", "~0", "~1", "~2", "~3",
	"~+0", "~+1/x", "~+2", "~+3", "~-0", "~-1", "~-2/x", "~-3", "~01",
	"~1x", "~+x", "~-x", "~+-1", "~99999999999999999999", "~~", "x~", "x",
	"~root~",
};

/* stack: pushed, so that the last is the top. */
static void
compare(const char *home, const char *old, bool stack)
{
	struct buf script = BUF_INIT, ours = BUF_INIT;
	struct strv env = STRV_INIT;
	struct launch l = { .umask = 022 };
	struct launched bash;
	struct state *s;
	char first[] = "/usr/lib", second[] = "/nowhere", no_cd[] = "-n";
	char *push[][3] = { { no_cd, first, NULL }, { no_cd, second, NULL } };
	AEG_AUTOFREE char *text = NULL;
	size_t i;

	strv_add(&env, "PATH=/usr/bin:/bin");
	if (home != NULL)
		strv_addf(&env, "HOME=%s", home);
	if (old != NULL)
		strv_addf(&env, "OLDPWD=%s", old);
	s = state_new(strv_peek(&env));
	for (i = 0; stack && i < 2; i++) {
		IS_INT(state_pushd(s, push[i], &ours, &ours), 0);
		buf_reset(&ours);
		buf_putf(&script, "pushd -n %s >/dev/null\n", push[i][1]);
	}
	buf_puts(&script, "printf '%s\\n'");
	for (i = 0; i < AEG_NELEM(words); i++) {
		AEG_AUTOFREE char *word = state_tilde(s, words[i]);

		buf_putf(&script, " %s", words[i]);
		buf_putf(&ours, "%s\n", word);
	}
	text = buf_take(&script);
	l.line = text;
	l.envp = strv_peek(&env);
	launch_run(&l, NULL, &bash);
	buf_putc(&bash.out, '\0');
	buf_putc(&ours, '\0');
	OKF(strcmp(ours.data, bash.out.data) == 0, "HOME=%s OLDPWD=%s%s",
	    home != NULL ? home : "(none)", old != NULL ? old : "(none)",
	    stack ? " with a stack" : "");
	if (strcmp(ours.data, bash.out.data) != 0)
		printf("# ours\n%s# bash\n%s", ours.data, bash.out.data);
	launched_done(&bash);
	buf_done(&ours);
	strv_done(&env);
	state_free(s);
}

int
main(void)
{
	compare("/home/x", "/tmp", false);
	compare("/home/x", "/tmp", true);
	compare("/", NULL, true);
	compare("", "/tmp", false);
	compare(NULL, NULL, true);
	compare("/a/", "/", false);
	return tap_done();
}
