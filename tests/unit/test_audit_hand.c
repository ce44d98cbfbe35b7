/* SPDX-License-Identifier: ISC */
/* Heads reach the witness once their links are on the disk, at the end of a
 * session and in between; where they do not, that is known and recorded, and
 * nobody waits. */
#include "audit/audit_chain_int.h"
#include "aegsh/audit_read.h"
#include "store.h"

#include <sys/socket.h>
#include <sys/un.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"

static char got[1024];

static int
listen_at(const char *name)
{
	AEG_AUTOFREE char *path = xasprintf("%s/system%s", scratch_dir, name);
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (strlen(path) >= sizeof at.sun_path)
		exit(99);
	memcpy(at.sun_path, path, strlen(path) + 1);
	unlink(path);
	if (bind(fd, (struct sockaddr *)&at, sizeof at) < 0)
		scratch_die(path);
	return fd;
}

/* What came, or "". */
static const char *
hear(int fd)
{
	ssize_t n = recv(fd, got, sizeof got - 1, MSG_DONTWAIT);

	got[n > 0 ? n : 0] = '\0';
	return got;
}

static struct audit *
begin(const char *dir, enum audit_witness to)
{
	struct audit *a = store_open(dir);

	audit_witness_to(a, to);
	return a;
}

static void
told(void)
{
	AEG_AUTOFD int fd = listen_at("/dev/log");
	struct audit_outcome o = { .status = 0 };
	AEG_AUTO(buf_done) struct buf want = BUF_INIT;
	struct audit_witnessed last;
	struct audit_origin origin;
	struct err err = ERR_INIT;
	struct audit *a;
	int i, n = 0;

	scratch_mkdir("told", 0700);
	a = begin("told", AUDIT_WITNESS_SYSLOG);
	store_put(a, "one", &err);
	IS_STR(hear(fd), "");
	a->hand.since_ns -= INT64_C(301) * 1000 * 1000 * 1000;
	/* A flush is not synced: the head waits for what is. */
	audit_note(a, "x", "y");
	IS_INT(audit_flush(a, &err), 0);
	IS_STR(hear(fd), "");
	store_put(a, "two", &err);
	IS_INT(audit_stand(a, &origin, &last, &err), 0);
	buf_putf(&want, "<85>aegsh[%ld]: ", (long)getpid());
	audit_head_text(&want, origin.store, last.seq, last.link);
	IS_STR(hear(fd), want.data);
	IS_STR(hear(fd), "");
	store_put(a, "three", &err);
	IS_STR(hear(fd), "");
	for (i = 0; i < 1100; i++) {
		audit_outcome(a, store_put(a, "more", &err), &o);
		n += hear(fd)[0] != '\0';
	}
	IS_INT(n, 2);
	audit_session_end(a, &err);
	OK(strstr(hear(fd), "aegsh-head store=") != NULL);
	OK(audit_unheard(a) == NULL);
	audit_close(a);
}

static void
in_the_journal(void)
{
	AEG_AUTOFD int fd = listen_at("/run/systemd/journal/socket");
	struct err err = ERR_INIT;
	struct audit *a;

	scratch_mkdir("journal", 0700);
	a = begin("journal", AUDIT_WITNESS_JOURNAL);
	store_put(a, "one", &err);
	audit_session_end(a, &err);
	audit_close(a);
	OK(strncmp(hear(fd), "MESSAGE=aegsh-head store=", 25) == 0);
	OK(strstr(got, "\nSYSLOG_IDENTIFIER=aegsh\n") != NULL);
}

static int
count(void *ctx, const struct audit_happened *e)
{
	(void)e;
	++*(int *)ctx;
	return 0;
}

static void
unheard(void)
{
	const struct audit_events_query q = { .kind = "witness-unheard" };
	AEG_AUTOFD int fd = -1;
	struct err err = ERR_INIT;
	struct audit *a;
	int i, n = 0, sent = 0;

	scratch_mkdir("unheard", 0700);
	fd = listen_at("/dev/log");
	io_close(&fd);		/* its name stays, and nobody is there */
	a = begin("unheard", AUDIT_WITNESS_SYSLOG);
	for (i = 0; i < 3; i++) {
		a->hand.since_ns = clock_mono_ns() -
		    INT64_C(301) * 1000 * 1000 * 1000;
		store_put(a, "one", &err);
		OK(audit_unheard(a) != NULL &&
		    strstr(audit_unheard(a), "/dev/log") != NULL);
	}
	audit_flush(a, &err);
	IS_INT(audit_events(a, &q, count, &n, &err), 0);
	IS_INT(n, 1);
	/* One that reads nothing: full, and not waited for. */
	fd = listen_at("/dev/log");
	while (sent < 100000 && audit_witness_send(AUDIT_WITNESS_SYSLOG,
	    "a line", &err) == 0)
		sent++;
	OK(sent > 0 && sent < 100000 && err.code == -EAGAIN);
	io_close(&fd);
	fd = listen_at("/dev/log");
	a->hand.since_ns -= INT64_C(301) * 1000 * 1000 * 1000;
	store_put(a, "one", &err);
	OK(audit_unheard(a) == NULL && hear(fd)[0] != '\0');
	audit_close(a);
}

static void
words(void)
{
	enum audit_witness w = AUDIT_WITNESS_NONE;

	OK(audit_witness_parse("syslog", &w) == 0 &&
	    w == AUDIT_WITNESS_SYSLOG);
	OK(audit_witness_parse("journal", &w) == 0 &&
	    w == AUDIT_WITNESS_JOURNAL);
	OK(audit_witness_parse("none", &w) == 0 && w == AUDIT_WITNESS_NONE);
	OK(audit_witness_parse("", &w) < 0);
	IS_INT(audit_witness_send(AUDIT_WITNESS_NONE, "x", NULL), 0);
}

int
main(void)
{
	static const char *const dirs[] = { "system", "system/dev",
		"system/run", "system/run/systemd",
		"system/run/systemd/journal" };
	size_t i;

	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	for (i = 0; i < AEG_NELEM(dirs); i++)
		scratch_mkdir(dirs[i], 0755);
	words();
	told();
	in_the_journal();
	unheard();
	return tap_done();
}
