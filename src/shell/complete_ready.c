/* SPDX-License-Identifier: ISC */
/*
 * The bash of the next Tab, started while a line is typed: it has read
 * bash-completion by the time that it is asked.  It is confined as one that is
 * started for a Tab, asked once, and used only if one that is started now
 * would be the very same (complete_ask_key()).
 *
 * A process of its own starts it, answers its guard and waits: it has nothing
 * of aegsh's but one socket.  Over that comes, from the child that a Tab has, a
 * struct wish, the key and the question; back goes one byte, HAS_IT, and what
 * bash answers, up to the end.  Where it was killed, stopped or is too old,
 * the Tab goes on without it.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "shell/complete_ask.h"

#define DEATHS_MAX 3		/* without being asked: no more are started */
#define START_NS ((int64_t)10 * 1000000000)
/* What fits into a pipe whether bash reads it yet or not; Linux has at least
 * 16 pages, but a user with many pipes gets one (pipe(7)). */
#define WORDS_MAX ((size_t)4096)
#define KEY_MAX ((size_t)64 * 1024)
#define HAS_IT 'y'

struct complete_ready {
	int fd;			/* to the process, or -1 */
	pid_t pid;
	unsigned deaths;
	struct buf about;	/* what it began with: see put_about() */
};

struct wish {
	int64_t end_ns;
	size_t key, words;	/* bytes that follow */
};

/* ---- the process --------------------------------------------------------- */

/* The whole group, of which this is the first. */
static void __attribute__((noreturn))
leave(void)
{
	kill(0, SIGKILL);
	_exit(1);
}

static void
read_wish(int from, struct wish *ret, struct buf *key, struct buf *words)
{
	char *at;

	if (io_read_full(from, ret, sizeof *ret) < 0 ||
	    ret->key > KEY_MAX || ret->words > WORDS_MAX)
		leave();
	at = xmalloc(ret->key + ret->words);
	if (io_read_full(from, at, ret->key + ret->words) < 0)
		leave();
	buf_put(key, at, ret->key);
	buf_put(words, at + ret->key, ret->words);
	free(at);
}

/* Until somebody asks.  What bash starts meanwhile, while it reads
 * bash-completion, asks the guard. */
static void
wait_for_wish(struct complete_ask *a, int from)
{
	struct pollfd p[3] = { { .fd = from, .events = POLLIN },
		{ .fd = a->listener, .events = POLLIN },
		{ .fd = a->answer, .events = POLLIN } };

	for (;;) {
		if (poll(p, AEG_NELEM(p), -1) < 0 && errno != EINTR)
			leave();
		if (p[1].revents & POLLIN)
			complete_guard_answer(&a->guard, a->listener,
			    &a->began);
		/* It has ended, or says what nobody has asked. */
		if ((p[1].revents & (POLLHUP | POLLERR)) || p[2].revents != 0)
			leave();
		if (p[0].revents != 0)
			return;
	}
}

static void
serve(struct complete_ask *a, int from, int to_bash)
{
	AEG_AUTO(buf_done) struct buf key = BUF_INIT, now = BUF_INIT;
	AEG_AUTO(buf_done) struct buf words = BUF_INIT;
	AEG_AUTO(buf_done) struct buf in = BUF_INIT_MAX(COMPLETE_ANSWER_MAX);
	const char yes = HAS_IT;
	struct wish wish;

	complete_ask_key(a, &now);
	wait_for_wish(a, from);
	read_wish(from, &wish, &key, &words);
	/* Dead, or stopped by somebody. */
	if (key.len != now.len || memcmp(key.data, now.data, now.len) != 0 ||
	    waitpid(a->bash, NULL, WNOHANG | WUNTRACED) != 0)
		leave();
	if (io_write_full(from, &yes, 1) < 0 ||
	    io_write_full(to_bash, words.data, words.len) < 0)
		leave();
	close(to_bash);
	if (complete_ask_listen(a, wish.end_ns, &in))
		(void)io_write_full(from, in.data, in.len);
	leave();
}

static void __attribute__((noreturn))
live(struct shell *sh, const struct strv *typed, int fd, pid_t parent)
{
	struct complete_ask a = COMPLETE_ASK_INIT(sh);
	AEG_AUTO(buf_done) struct buf start = BUF_INIT;
	struct err err = ERR_INIT;
	int null = open("/dev/null", O_RDWR), ends[2];

	/* Without the terminal; nobody waits for the end of what we hold. */
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_IGN);
	if (null < 0 || getppid() != parent || dup2(null, 0) < 0 ||
	    dup2(null, 1) < 0 || dup2(null, 2) < 0 || dup2(fd, 3) < 0)
		_exit(1);
	close_range(4, ~0U, 0);
	if (complete_ask_look(&a, typed, &err) < 0 ||
	    pipe2(ends, O_CLOEXEC) < 0)
		_exit(1);
	a.question = ends[0];
	complete_ask_put_start(&a, &start);
	if (start.len > WORDS_MAX ||
	    io_write_full(ends[1], start.data, start.len) < 0 ||
	    complete_ask_start(&a, clock_mono_ns() + START_NS) != 0)
		leave();
	io_close(&a.question);
	serve(&a, 3, ends[1]);
	leave();
}

/* ---- aegsh --------------------------------------------------------------- */

static bool
is_helper(const struct shell *sh, const char *name)
{
	const char *p = conf_str(sh->conf, CONF_COMPLETION_HELPERS);
	size_t n, len = strlen(name);

	for (; *p != '\0'; p += n) {
		p += strspn(p, " \t");
		n = strcspn(p, " \t");
		if (len > 0 && n >= len && memcmp(p + n - len, name, len) ==
		    0 && (n == len || p[n - len - 1] == '/'))
			return true;
	}
	return false;
}

/* The directory, variables, and which of the words are helpers, by name, as
 * these are not started then (complete_guard.c): what can be had at once, and
 * tells most of what the key would. */
static void
put_about(const struct shell *sh, const struct strv *typed, struct buf *out)
{
	static const char *const names[] = { "HOME", "USER", "LOGNAME", "LANG",
		"LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "PATH" };
	size_t i;

	buf_puts(out, state_cwd(sh->state));
	for (i = 0; i < AEG_NELEM(names); i++) {
		const char *value = state_get(sh->state, names[i]);

		buf_putf(out, "\n%s", value != NULL ? value : "");
	}
	for (i = 0; i < typed->n; i++)
		if (is_helper(sh, path_base(typed->v[i])))
			buf_putf(out, "\n%s", path_base(typed->v[i]));
}

void
complete_ready_end(struct shell *sh)
{
	struct complete_ready *r = sh->ready;
	pid_t *at;

	if (r == NULL || r->fd < 0)
		return;
	io_close(&r->fd);
	kill(-r->pid, SIGKILL);
	kill(r->pid, SIGKILL);
	at = shell_child_place(sh);
	if (waitpid(r->pid, NULL, WNOHANG) == 0 && at != NULL)
		*at = r->pid;
	r->pid = 0;
}

void
complete_ready_free(struct shell *sh)
{
	complete_ready_end(sh);
	if (sh->ready != NULL)
		buf_done(&sh->ready->about);
	free(sh->ready);
	sh->ready = NULL;
}

/* Is it there and running?  Where not, it is given up. */
void
complete_ready_check(struct shell *sh, const struct strv *typed)
{
	struct complete_ready *r = sh->ready;
	AEG_AUTO(buf_done) struct buf about = BUF_INIT;

	if (r == NULL || r->fd < 0)
		return;
	put_about(sh, typed, &about);
	if (waitpid(r->pid, NULL, WNOHANG | WUNTRACED) != 0)
		r->deaths++;
	else if (strcmp(about.data, r->about.data) == 0)
		return;
	complete_ready_end(sh);
}

/* Children that were killed and hang in a file system: what is started in
 * advance leaves places for the Tab itself. */
static bool
many_hang(struct shell *sh)
{
	size_t i, n = 0;

	if (shell_child_place(sh) == NULL)
		return true;
	for (i = 0; i < SHELL_COMPLETERS; i++)
		n += sh->completer[i] > 0;
	return n > SHELL_COMPLETERS / 2;
}

void
complete_ready_begin(struct shell *sh, const struct strv *typed)
{
	struct complete_ready *r = sh->ready;
	pid_t me = getpid();
	int ends[2];

	complete_ready_check(sh, typed);
	if (r == NULL) {
		r = sh->ready = xcalloc(1, sizeof *r);
		r->fd = -1;
	}
	if (r->fd >= 0 || r->deaths >= DEATHS_MAX || many_hang(sh) ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return;
	buf_done(&r->about);
	put_about(sh, typed, &r->about);
	r->pid = fork();
	if (r->pid == 0)
		live(sh, typed, ends[1], me);
	close(ends[1]);
	if (r->pid > 0)
		r->fd = ends[0];
	else
		close(ends[0]);
}

/* ---- the child of a Tab -------------------------------------------------- */

static bool
waits_for(int fd, int64_t end_ns)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int64_t left = (end_ns - clock_mono_ns()) / 1000000;

	return left > 0 && poll(&p, 1, (int)left) > 0;
}

bool
complete_ready_ask(const struct complete_ask *a,
    const struct complete_words *w, int64_t end_ns, struct buf *in,
    bool *ret_whole)
{
	const struct complete_ready *r = a->sh->ready;
	AEG_AUTO(buf_done) struct buf key = BUF_INIT, words = BUF_INIT;
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;
	struct wish wish;
	char chunk[16384];
	ssize_t n;

	if (r == NULL || r->fd < 0)
		return false;
	complete_ask_key(a, &key);
	complete_ask_put_words(a, w, &words);
	if (key.len > KEY_MAX || words.len > WORDS_MAX)
		return false;
	wish = (struct wish){ end_ns, key.len, words.len };
	buf_put(&out, &wish, sizeof wish);
	buf_put(&out, key.data, key.len);
	buf_put(&out, words.data, words.len);
	if (send(r->fd, out.data, out.len, MSG_NOSIGNAL) !=
	    (ssize_t)out.len || !waits_for(r->fd, end_ns) ||
	    read(r->fd, chunk, 1) != 1 || chunk[0] != HAS_IT)
		return false;
	*ret_whole = false;
	while (!buf_overflow(in) && waits_for(r->fd, end_ns)) {
		n = read(r->fd, chunk, sizeof chunk);
		if (n <= 0) {
			*ret_whole = n == 0 && in->len > 0;
			break;
		}
		buf_put(in, chunk, (size_t)n);
	}
	return true;
}
