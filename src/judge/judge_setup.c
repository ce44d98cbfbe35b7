/* SPDX-License-Identifier: ISC */
/* From aegsh's set-up to a confined helper that can ask, or the reason why
 * it cannot. */
#include "judge_int.h"

#include <curl/curl.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/conf.h"

static int
read_files(struct judge *j, const struct val_setup *s, struct err *err)
{
	AEG_AUTOFREE char *prompt = xasprintf("%s/" JUDGE_PROMPT,
	    sysdirs()->data);
	uid_t uid = s->managed ? (uid_t)-1 : getuid();
	int rc;

	rc = conf_trust_read(prompt, uid, JUDGE_PROMPT_MAX, &j->prompt, err);
	if (rc < 0)
		return rc;
	if (j->prompt.len == 0 || memchr(j->prompt.data, '\0', j->prompt.len))
		return err_set(err, ERR_SYNTAX, "%s: not a text", prompt);
	if (s->key_file[0] != '\0')
		rc = judge_key_read(s->key_file, uid, &j->key, err);
	if (rc == 0 && s->ca_file[0] != '\0') {
		rc = conf_trust_read(s->ca_file, uid, JUDGE_CA_MAX, &j->ca,
		    err);
		if (rc == 0 && j->ca.len == 0)
			rc = err_set(err, ERR_SYNTAX, "%s: is empty",
			    s->ca_file);
		if (rc < 0)
			return err_context(err, "ca-file");
	}
	return rc;
}

static int
setup(struct judge *j, const struct val_setup *s, struct err *err)
{
	int rc;

	j->model = xstrdup(s->model);
	j->format = &judge_format_openai;
	rc = judge_endpoint_parse(s->endpoint, j->format->path, &j->endpoint,
	    err);
	if (rc == 0)
		rc = read_files(j, s, err);
	if (rc < 0)
		return rc;
	if (s->model[0] == '\0')
		return err_set(err, ERR_RANGE,
		    "model: not set, and %s must know which to ask",
		    j->endpoint.label);
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return err_set(err, -EIO, "libcurl does not start");
	rc = judge_confine(&j->endpoint, s->ca_file[0] != '\0', err);
	if (rc < 0)
		return rc;
	return judge_http_new(&j->endpoint, j->format->auth, &j->key, &j->ca,
	    &j->http, err);
}

void
judge_setup(struct judge *j, const struct val_setup *s)
{
	int rc = setup(j, s, &j->broken);

	j->broken.code = rc;
	/* libcurl has its copy now. */
	if (j->key.data != NULL)
		explicit_bzero(j->key.data, j->key.cap);
}

void
judge_done(struct judge *j)
{
	judge_http_free(j->http);
	judge_endpoint_done(&j->endpoint);
	buf_done(&j->key);
	buf_done(&j->ca);
	buf_done(&j->prompt);
	free(j->model);
	curl_global_cleanup();
}
