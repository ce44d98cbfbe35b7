/* SPDX-License-Identifier: ISC */
/* What a program of a line hands over when it calls sudo or its like: frames
 * of supervise.h, from somebody who is believed nothing. */
#include "turn/turn_elevate.h"

#include <errno.h>
#include <string.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/wire.h"

/* What it says is to come, and what wrong says where it is wrong. */
static int
take_head(int sock, int ret_fd[4], uint32_t *ret_total, uint32_t *ret_words,
    const char **ret_wrong)
{
	struct wire_msg m = WIRE_MSG_INIT;
	const size_t head = sizeof AEGSH_VERSION;
	int i, rc = wire_recv(sock, -1, -1, &m, NULL);
	const char *p = m.body;

	if (rc < 0) {
		*ret_wrong = rc == -ENODATA || rc == -ECONNRESET ? NULL :
		    "bytes that are no frame";
	} else if (m.type != SUPERVISE_CALL ||
	    m.len != head + 2 * sizeof(uint32_t)) {
		*ret_wrong = "a frame that is no call";
	} else if (memcmp(p, AEGSH_VERSION, head) != 0) {
		*ret_wrong = "a call of another version";
	} else if (m.n_fds != 4) {
		*ret_wrong = "a call without just four descriptors";
	} else {
		for (i = 0; i < 4; i++) {
			ret_fd[i] = m.fds[i];
			m.fds[i] = -1;
		}
		memcpy(ret_total, p + head, sizeof *ret_total);
		memcpy(ret_words, p + head + sizeof *ret_total,
		    sizeof *ret_words);
		wire_msg_done(&m);
		return 0;
	}
	wire_msg_done(&m);
	return rc < 0 ? rc : -EPROTO;
}

static int
take_more(int sock, struct buf *all, uint32_t total)
{
	struct wire_msg m = WIRE_MSG_INIT;
	int rc = 0;

	while (rc == 0 && all->len < total) {
		rc = wire_recv(sock, -1, -1, &m, NULL);
		if (rc == 0 && (m.type != SUPERVISE_MORE || m.n_fds != 0 ||
		    m.len == 0 || m.len > total - all->len))
			rc = -EPROTO;
		if (rc == 0)
			buf_put(all, m.body, m.len);
		wire_msg_done(&m);
	}
	return rc == 0 && all->data[total - 1] != '\0' ? -EPROTO : rc;
}

int
elevate_take(int sock, int ret_fd[4], struct strv *ret_argv,
    struct strv *ret_env, const char **ret_wrong)
{
	AEG_AUTO(buf_done) struct buf all = BUF_INIT_MAX(SUPERVISE_CALL_MAX);
	uint32_t total = 0, words = 0, n;
	const char *p;
	int rc = take_head(sock, ret_fd, &total, &words, ret_wrong);

	if (rc < 0)
		return rc;
	*ret_wrong = "a call of more bytes or words than there can be";
	if (total == 0 || total > SUPERVISE_CALL_MAX || words == 0 ||
	    words > total)
		return -EPROTO;
	*ret_wrong = "a call whose words did not come as it said";
	rc = take_more(sock, &all, total);
	if (rc < 0)
		return rc;
	for (n = 0, p = all.data; p < all.data + total; n++,
	    p += strlen(p) + 1)
		strv_add(n < words ? ret_argv : ret_env, p);
	if (n < words)
		return -EPROTO;
	*ret_wrong = NULL;
	return 0;
}
