/* SPDX-License-Identifier: ISC */
/* What the supervisor has told of a line, on aegsh's side. */
#include "supervise_int.h"

#include <stdlib.h>
#include <string.h>

#include "aegsh/base/mem.h"

static void
take_image(struct sup_told *t, const struct sup_report *r,
    const char *bytes)
{
	struct supervise_image *m;

	sup_members_add(&t->known, (struct sup_known){ r->pid, r->start });
	/* One that was killed is told of, whatever came before. */
	if (t->n >= SUPERVISE_IMAGES_MAX + (r->kind == SUP_REFUSED ?
	    SUPERVISE_REFUSED_MAX : 0)) {
		t->lost++;
		return;
	}
	if ((t->n & (t->n - 1)) == 0)
		t->image = xreallocarray(t->image, t->n > 0 ? 2 * t->n : 1,
		    sizeof *t->image);
	m = &t->image[t->n++];
	*m = (struct supervise_image){
		.pid = r->pid, .ppid = r->ppid,
		.wall_ns = r->wall_ns, .mono_ns = r->mono_ns,
		.start = r->start,
		.path = xmemdup0(bytes, r->path_len),
		.argv = xmemdup0(bytes + r->path_len, r->argv_len),
		.argv_len = r->argv_len,
		.said = xmemdup0(bytes + r->path_len + r->argv_len,
		    r->said_len),
		.refused = r->kind == SUP_REFUSED,
	};
}

static void
take_one(struct sup_told *t, const struct sup_report *r, const char *bytes)
{
	switch ((enum sup_kind)r->kind) {
	case SUP_IMAGE:
	case SUP_REFUSED:
		take_image(t, r, bytes);
		break;
	case SUP_BROKEN:
		if (t->broken == NULL)
			t->broken = xmemdup0(bytes, r->path_len);
		break;
	case SUP_NETWORK:
		if (t->network.n <= SUPERVISE_ADDRESSES_MAX)
			strv_take(&t->network, xmemdup0(bytes, r->path_len));
		break;
	case SUP_LIMITED:
		if (t->limited == NULL)
			t->limited = xmemdup0(bytes, r->path_len);
		break;
	case SUP_LOST:
		t->lost += (size_t)r->pid;
		break;
	case SUP_ENDED:
		t->ended = true;
		break;
	case SUP_DONE:
		t->done = true;
		break;
	case SUP_HELD:
		t->answered = true;
		t->held = r->pid;
		break;
	case SUP_NOTHING:
	case SUP_END:
	case SUP_UNIT:
	case SUP_SCRIPT:
	case SUP_LET_GO:
	case SUP_LISTEN:
	case SUP_OTHER:
	case SUP_SYNC:
		break;
	}
}

void
sup_told_take(struct sup_told *t, const char *p, size_t n)
{
	const char *end = p + n;
	struct sup_report r;
	uint32_t len;

	while ((size_t)(end - p) >= sizeof len + sizeof r) {
		memcpy(&len, p, sizeof len);
		p += sizeof len;
		if (len < sizeof r || len > (size_t)(end - p))
			return;
		memcpy(&r, p, sizeof r);
		if ((size_t)len == sizeof r + r.path_len + r.argv_len +
		    r.said_len)
			take_one(t, &r, p + sizeof r);
		p += len;
	}
}

void
sup_told_done(struct sup_told *t)
{
	size_t i;

	for (i = 0; i < t->n; i++) {
		free((char *)(uintptr_t)t->image[i].path);
		free((char *)(uintptr_t)t->image[i].argv);
		free((char *)(uintptr_t)t->image[i].said);
	}
	free(t->image);
	free(t->known.v);
	free(t->broken);
	free(t->limited);
	strv_done(&t->network);
}
