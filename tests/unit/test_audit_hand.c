/* SPDX-License-Identifier: ISC */
/* Heads reach the witness once their links are on the disk, at the end of a
 * session and in between; where they do not, that is known and recorded, and
 * nobody waits. */
#include "audit/audit_chain_int.h"
#include "aegsh/audit_read.h"
#include "store.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/netlink.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"

#define TRUSTED_APP 1121		/* as audit.log calls it */

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
begin(const char *dir, unsigned to)
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
	static const struct {
		const char *words;
		unsigned want;
		bool bad;
	} cases[] = {
		{ "syslog", AUDIT_WITNESS_SYSLOG, false },
		{ "journal", AUDIT_WITNESS_JOURNAL, false },
		{ "kernel", AUDIT_WITNESS_KERNEL, false },
		{ "none", 0, false },
		{ " kernel\tsyslog ", AUDIT_WITNESS_KERNEL |
		    AUDIT_WITNESS_SYSLOG, false },
		{ "journal kernel syslog", 7, false },
		{ "", 0, true }, { "kern", 0, true }, { "kernels", 0, true },
		{ "syslog none", 0, true }, { "syslog,kernel", 0, true },
	};
	size_t i;

	for (i = 0; i < AEG_NELEM(cases); i++) {
		unsigned bits = 99;
		int rc = audit_witness_parse(cases[i].words, &bits);

		OKF(cases[i].bad ? rc < 0 && bits == 99 : rc == 0 &&
		    bits == cases[i].want, "'%s'", cases[i].words);
	}
	IS_INT(audit_witness_send(0, "x", NULL), 0);
}

/* ---- a kernel ----------------------------------------------------------- */

struct kernel {
	int listener, heard;	/* each text with its NUL */
	pid_t pid;
};
enum manner { ON, OFF, DENIES, REFUSES, SILENT, GONE, SHORT, OTHERS,
	DENIES_TEXT };

static void
answer(int fd, uint32_t seq, uint16_t type, const void *bytes, size_t len)
{
	struct { struct nlmsghdr head; char bytes[64]; } m = { .head = {
		.nlmsg_len = (uint32_t)NLMSG_LENGTH(len), .nlmsg_type = type,
		.nlmsg_seq = seq } };

	memcpy(m.bytes, bytes, len);
	if (send(fd, &m, m.head.nlmsg_len, MSG_NOSIGNAL) < 0)
		errno = 0;
}

static void
acknowledge(int fd, uint32_t seq, int code)
{
	struct nlmsgerr e = { .error = code };

	answer(fd, seq, NLMSG_ERROR, &e, sizeof e);
}

/* The status, as linux/audit.h has it; sooner or later than the
 * acknowledgement. */
static void
say_status(int fd, uint32_t seq, enum manner how)
{
	const struct audit_status s = { .enabled = how != OFF };

	if (how == OTHERS) {
		answer(fd, seq + 7, AUDIT_GET, "\0\0\0\0\0\0\0\0", 8);
		acknowledge(fd, seq + 7, -EPERM);
		if (send(fd, "x", 1, MSG_NOSIGNAL) < 0)
			errno = 0;
		acknowledge(fd, seq, 0);
	}
	answer(fd, seq, AUDIT_GET, &s, how == SHORT ? 4 : 40);
	if (how != OTHERS)
		acknowledge(fd, seq, 0);
}

static void
serve(int fd, int to, enum manner how)
{
	struct { struct nlmsghdr head; char bytes[4096]; } m;
	ssize_t n;

	while ((n = recv(fd, &m, sizeof m, 0)) > 0) {
		size_t text = m.head.nlmsg_len - NLMSG_HDRLEN;

		if ((size_t)n < sizeof m.head || how == GONE)
			return;
		if (how == SILENT)
			continue;
		if (how == DENIES || how == REFUSES) {
			acknowledge(fd, m.head.nlmsg_seq, how == DENIES ?
			    -EPERM : -ECONNREFUSED);
		} else if (m.head.nlmsg_type == AUDIT_GET) {
			say_status(fd, m.head.nlmsg_seq, how);
		} else {
			if (how != DENIES_TEXT &&
			    m.head.nlmsg_type == TRUSTED_APP &&
			    m.bytes[text - 1] == '\0' &&
			    write(to, m.bytes, text) < 0)
				return;
			acknowledge(fd, m.head.nlmsg_seq, how == DENIES_TEXT ?
			    -EPERM : 0);
		}
	}
}

static struct kernel
boot(enum manner how)
{
	AEG_AUTOFREE char *path = xasprintf("%s/system/kernel-audit",
	    scratch_dir);
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int ways[2], fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct kernel k = { fd, -1, 0 };

	memcpy(at.sun_path, path, strlen(path) + 1);
	unlink(path);
	if (bind(fd, (struct sockaddr *)&at, sizeof at) < 0 ||
	    listen(fd, 8) < 0 || pipe2(ways, O_CLOEXEC) < 0)
		scratch_die(path);
	k.heard = ways[0];
	k.pid = fork();
	if (k.pid == 0) {
		close(ways[0]);
		while ((fd = accept(k.listener, NULL, NULL)) >= 0) {
			serve(fd, ways[1], how);
			close(fd);
		}
		_exit(0);
	}
	close(ways[1]);
	return k;
}

/* What it heard in all, or "". */
static const char *
halt(struct kernel *k)
{
	ssize_t n;

	kill(k->pid, SIGKILL);
	waitpid(k->pid, NULL, 0);
	n = read(k->heard, got, sizeof got - 1);
	got[n > 0 ? n : 0] = '\0';
	io_close(&k->heard);
	io_close(&k->listener);
	return got;
}

static void
by_the_kernel(void)
{
	static const struct {
		enum manner how;
		int code;
		const char *says;
	} cases[] = {
		{ ON, 0, "" }, { OTHERS, 0, "" },
		{ OFF, ERR_LAYER, "auditctl -e 1" },
		{ DENIES, -EPERM, "aegshctl audit sign" },
		{ DENIES_TEXT, -EPERM, "aegshctl audit sign" },
		{ REFUSES, -ECONNREFUSED, "container" },
		{ SILENT, -ETIMEDOUT, "kernel's audit" },
		{ SHORT, -ETIMEDOUT, "kernel's audit" },
		{ GONE, -ECONNRESET, "kernel's audit" },
	};
	size_t i;

	for (i = 0; i < AEG_NELEM(cases); i++) {
		struct kernel k = boot(cases[i].how);
		struct err err = ERR_INIT;

		OKF(audit_witness_send(AUDIT_WITNESS_KERNEL, "a head", &err)
		    == cases[i].code, "manner %d: %s", (int)cases[i].how,
		    err.text);
		OKF(strstr(err.text, cases[i].says) != NULL, "and says so");
		IS_STR(halt(&k), cases[i].code == 0 ? "a head" : "");
		/* Who told it, and was not waited for. */
		while (waitpid(-1, NULL, 0) > 0)
			;
	}
	/* Nobody is there at all. */
	OK(audit_witness_send(AUDIT_WITNESS_KERNEL, "a head", NULL) < 0);
}

/* As one whose queue is full: whoever begins to tell it is in that call. */
static int
fill(const char *path, int fds[8])
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int i;

	memcpy(at.sun_path, path, strlen(path) + 1);
	for (i = 0; i < 8; i++) {
		fds[i] = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC |
		    SOCK_NONBLOCK, 0);
		if (connect(fds[i], (struct sockaddr *)&at, sizeof at) < 0)
			return i + 1;
	}
	return 0;
}

/* Our child that is not that one; it has stopped then. */
static bool
stop_witness(pid_t other)
{
	AEG_AUTOFREE char *path = xasprintf("/proc/self/task/%ld/children",
	    (long)getpid());
	siginfo_t info;
	FILE *f = fopen(path, "re");
	long pid = 0;

	while (f != NULL && fscanf(f, "%ld", &pid) == 1 && pid == other)
		pid = 0;
	if (f != NULL)
		fclose(f);
	return pid > 0 && kill((pid_t)pid, SIGSTOP) == 0 && waitid(P_PID,
	    (id_t)pid, &info, WSTOPPED | WNOWAIT) == 0;
}

static void
held_by_the_kernel(void)
{
	AEG_AUTOFREE char *path = xasprintf("%s/system/kernel-audit",
	    scratch_dir);
	struct kernel k = boot(ON);
	struct err err = ERR_INIT;
	int fds[8], n, status;

	/* It answers nobody, and its backlog is soon full. */
	kill(k.pid, SIGSTOP);
	waitpid(k.pid, &status, WUNTRACED);
	if (listen(k.listener, 1) < 0)
		scratch_die(path);
	n = fill(path, fds);
	OK(n > 0);
	IS_INT(audit_witness_send(AUDIT_WITNESS_KERNEL, "one", &err),
	    -ETIMEDOUT);
	IS_INT(audit_witness_send(AUDIT_WITNESS_KERNEL, "two", &err), -EBUSY);
	OKF(strstr(err.text, "queue is full") != NULL, "%s", err.text);
	IS_INT(audit_witness_probe(AUDIT_WITNESS_KERNEL, &err), -EBUSY);
	/* One that somebody has stopped holds up no other. */
	OK(stop_witness(k.pid));
	IS_INT(audit_witness_send(AUDIT_WITNESS_KERNEL, "two", &err),
	    -ETIMEDOUT);
	/* Let go, who was held goes on by itself, and others are heard. */
	while (n > 0)
		close(fds[--n]);
	kill(k.pid, SIGCONT);
	OK(waitpid(-1, NULL, 0) > 0);
	IS_INT(audit_witness_send(AUDIT_WITNESS_KERNEL, "three", &err), 0);
	n = read(k.heard, got, 3 + 1) == 4 ? 0 : 1;
	IS_STRN(n == 0 ? got : "", "two", "what was held was heard");
	halt(&k);
}

/* What one of them does not hear, the other does. */
static void
with_another(void)
{
	const struct audit_events_query q = { .kind = "witness-unheard" };
	AEG_AUTOFD int fd = listen_at("/dev/log");
	struct kernel k = boot(DENIES);
	struct err err = ERR_INIT;
	struct audit *a;
	int i, n = 0;

	scratch_mkdir("both", 0700);
	a = begin("both", AUDIT_WITNESS_KERNEL | AUDIT_WITNESS_SYSLOG);
	for (i = 0; i < 3; i++) {
		a->hand.since_ns -= INT64_C(301) * 1000 * 1000 * 1000;
		store_put(a, "one", &err);
		OK(strstr(hear(fd), "aegsh-head store=") != NULL);
	}
	OK(audit_unheard(a) == NULL);
	audit_flush(a, &err);
	IS_INT(audit_events(a, &q, count, &n, &err), 0);
	IS_INT(n, 1);
	halt(&k);
	/* Now neither. */
	io_close(&fd);
	a->hand.since_ns -= INT64_C(301) * 1000 * 1000 * 1000;
	store_put(a, "one", &err);
	OK(audit_unheard(a) != NULL);
	/* And now the kernel alone. */
	k = boot(ON);
	a->hand.since_ns -= INT64_C(301) * 1000 * 1000 * 1000;
	store_put(a, "one", &err);
	OK(audit_unheard(a) != NULL &&
	    strstr(audit_unheard(a), "/dev/log") != NULL);
	OK(strstr(halt(&k), "aegsh-head store=") != NULL);
	audit_flush(a, &err);
	n = 0;
	IS_INT(audit_events(a, &q, count, &n, &err), 0);
	IS_INT(n, 2);
	audit_close(a);
}

/* The real one, in a process whose directories are not those of a test. */
static void
really(void)
{
	int status, ways[2];
	struct err err = ERR_INIT;
	pid_t pid;

	if (pipe2(ways, O_CLOEXEC) < 0)
		exit(99);
	pid = fork();
	if (pid == 0) {
		setenv("AEGSH_TEST_KERNEL", "real", 1);
		status = audit_witness_send(AUDIT_WITNESS_KERNEL,
		    "aegsh-test of the audit", &err);
		if (write(ways[1], err.text, strlen(err.text)) < 0)
			_exit(99);
		_exit(status == 0 ? 0 : 1);
	}
	close(ways[1]);
	waitpid(pid, &status, 0);
	got[read(ways[0], got, sizeof got - 1)] = '\0';
	close(ways[0]);
	OKF(strncmp(got, "the kernel's audit", 18) == 0 || got[0] == '\0',
	    "it says what it is about: %s", got);
	if (status != 0)
		SKIP(1, got);
	else
		OK(got[0] == '\0');
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
	really();
	words();
	by_the_kernel();
	held_by_the_kernel();
	with_another();
	told();
	in_the_journal();
	unheard();
	return tap_done();
}
