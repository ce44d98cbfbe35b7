/* SPDX-License-Identifier: ISC */
/*
 * Heads on their way to somebody else: the system's log, where the store's
 * user can add lines and take none away, or the kernel's audit, where that
 * user cannot even add one.
 *
 * A head goes out once its links are on the disk, since a power failure
 * would otherwise look like a tail that somebody cut off.
 */
#include "audit_chain_int.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

/* While rows come, a head goes out at least as often. */
#define HAND_EVERY_NS (INT64_C(5) * 60 * 1000 * 1000 * 1000)

#define LOG "/dev/log"
#define JOURNAL "/run/systemd/journal/socket"

/* A message, or NULL: is anybody there? */
static int
send_to(const char *name, const struct buf *message, struct err *err)
{
	AEG_AUTOFREE char *path = xasprintf("%s%s", sysdirs()->system, name);
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	AEG_AUTOFD int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	ssize_t n;

	if (fd < 0)
		return err_sys(err, errno, "socket");
	if (strlen(path) >= sizeof to.sun_path)
		return err_sys(err, ENAMETOOLONG, "%s", path);
	memcpy(to.sun_path, path, strlen(path) + 1);
	if (connect(fd, (struct sockaddr *)&to, sizeof to) < 0)
		return err_sys(err, errno, "%s", path);
	if (message == NULL)
		return 0;
	do
		n = send(fd, message->data, message->len, MSG_DONTWAIT |
		    MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? err_sys(err, errno, "%s", path) : 0;
}

static const struct {
	const char *word;
	unsigned bit;
} witnesses[] = {
	{ "journal", AUDIT_WITNESS_JOURNAL },
	{ "kernel", AUDIT_WITNESS_KERNEL },
	{ "syslog", AUDIT_WITNESS_SYSLOG },
};

/* bit: one of them. */
static int
send_one(unsigned bit, const char *line, struct err *err)
{
	AEG_AUTO(buf_done) struct buf b = BUF_INIT;

	if (bit == AUDIT_WITNESS_KERNEL)
		return audit_kernel_tell(line, err);
	if (bit == AUDIT_WITNESS_SYSLOG) {
		/* authpriv.notice, as syslog(3) sends it */
		buf_putf(&b, "<85>aegsh[%ld]: %s", (long)getpid(), line);
		return send_to(LOG, &b, err);
	}
	/* systemd.journal-fields(7): a field a line */
	buf_putf(&b, "MESSAGE=%s\nPRIORITY=5\nSYSLOG_FACILITY=10\n"
	    "SYSLOG_IDENTIFIER=aegsh\n", line);
	return send_to(JOURNAL, &b, err);
}

int
audit_witness_probe(unsigned bit, struct err *err)
{
	if (bit == AUDIT_WITNESS_KERNEL)
		return audit_kernel_probe(err);
	return send_to(bit == AUDIT_WITNESS_SYSLOG ? LOG : JOURNAL, NULL, err);
}

int
audit_witness_send(unsigned to, const char *line, struct err *err)
{
	int rc = 0;
	size_t i;

	for (i = 0; i < AEG_NELEM(witnesses); i++) {
		struct err why = ERR_INIT;
		int one = (to & witnesses[i].bit) == 0 ? 0 :
		    send_one(witnesses[i].bit, line, &why);

		if (one < 0 && rc == 0)
			rc = err_set(err, one, "%s", why.text);
	}
	return rc;
}

int
audit_witness_parse(const char *words, unsigned *ret)
{
	unsigned bits = 0;
	size_t i, len;

	if (strcmp(words, "none") == 0) {
		*ret = 0;
		return 0;
	}
	do {
		words += strspn(words, " \t");
		len = strcspn(words, " \t");
		for (i = 0; i < AEG_NELEM(witnesses); i++)
			if (strlen(witnesses[i].word) == len &&
			    memcmp(witnesses[i].word, words, len) == 0)
				break;
		if (i == AEG_NELEM(witnesses))
			return -EINVAL;
		bits |= witnesses[i].bit;
		words += len;
	} while (words[strspn(words, " \t")] != '\0');
	*ret = bits;
	return 0;
}

void
audit_witness_to(struct audit *a, unsigned to)
{
	a->hand.to = to;
	a->hand.since_ns = clock_mono_ns();
}

const char *
audit_unheard(const struct audit *a)
{
	return a->hand.failed != 0 && !a->hand.quiet ? a->hand.err.text :
	    NULL;
}

bool
audit_hand_due(const struct audit *a)
{
	return a->hand.to != 0 &&
	    clock_mono_ns() - a->hand.since_ns > HAND_EVERY_NS;
}

static int
head_line(struct audit *a, struct buf *ret, struct err *err)
{
	struct audit_origin origin;
	int rc = audit_chain_origin(&a->db, &origin, err);

	if (rc == 0)
		audit_head_text(ret, origin.store, a->db.head.seq,
		    a->db.head.link);
	return rc;
}

void
audit_hand_out(struct audit *a)
{
	AEG_AUTO(buf_done) struct buf line = BUF_INIT;
	struct err err = ERR_INIT;
	unsigned failed = 0, before = a->hand.failed, bit;
	int rc;
	size_t i;

	if (!a->db.head.known || a->hand.to == 0)
		return;
	rc = head_line(a, &line, &err);
	a->db.head.known = false;
	a->hand.since_ns = clock_mono_ns();
	for (i = 0; i < AEG_NELEM(witnesses); i++) {
		bit = witnesses[i].bit;
		if ((a->hand.to & bit) == 0 || (rc == 0 && send_one(bit,
		    line.data, &err) == 0))
			continue;
		/* Each silence of each is one event, … */
		if ((before & bit) == 0)
			audit_note(a, "witness-unheard", err.text);
		/* … and the first is what is told. */
		if (failed == 0)
			a->hand.err = err;
		failed |= bit;
	}
	a->hand.failed = failed;
	/* What an ordinary user is never let do is no news at each prompt, as
	 * long as somebody heard. */
	a->hand.quiet = failed == AUDIT_WITNESS_KERNEL && a->hand.to != failed
	    && a->hand.err.code == -EPERM;
}
