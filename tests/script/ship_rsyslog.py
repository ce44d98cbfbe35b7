# SPDX-License-Identifier: ISC
"""The set-ups of aegsh-ship(8), run as they stand there but for places and
ports: a real rsyslogd by TLS and without, and a collector."""

import glob
import json
import os
import re
import shutil
import subprocess
import sys

TOP = os.environ["abs_top_srcdir"]
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))
from procs import DEADLINE, until  # noqa: E402
from pty_session import place, program  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()
root, env = place()
CTL, FILL = program("aegshctl"), program("store_fill")
helper = os.path.join(root, "libexec", "aegsh-ship")
with open(helper, "w") as f:
    f.write("#!/bin/sh\nAEGSH_TEST_ROOT='%s' exec '%s'\n" %
            (root, program("aegsh-ship")))
os.chmod(helper, 0o755)
PATH = os.environ["PATH"] + ":/usr/sbin:/usr/local/sbin"

with open(os.path.join(TOP, "man", "aegsh-ship.8"), encoding="ascii") as f:
    page = f.read()
examples = [e.replace("\\e", "\\") for e in re.findall(
    r"^\.Bd -literal.*?\n(.*?)^\.Ed", page, re.DOTALL | re.MULTILINE)]
RSYSLOG, = [e for e in examples if "imtcp" in e]
OTEL, = [e for e in examples if "receivers:" in e]


def fill(*lines):
    subprocess.run([FILL], env=env, check=True, timeout=DEADLINE,
                   input="".join("ok %s\n" % line
                                 for line in lines).encode())


def ship(sink, **more):
    with open(os.path.join(root, "etc", "aegsh.conf"), "w") as f:
        for name, value in dict(more, ship=sink, ship_timeout=60000).items():
            f.write('%s = "%s"\n' % (name.replace("_", "-"), value))
    return subprocess.run([CTL, "audit", "ship"], env=env, timeout=4 *
                          DEADLINE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)


def openssl(*args):
    subprocess.run(["openssl", *args], check=True, cwd=root,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def certificates():
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt",
            "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
            "/CN=Throw-away", "-keyout", "ca.key", "-out", "ca.pem")
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
            "-nodes", "-subj", "/CN=log", "-keyout", "key.pem", "-out", "csr")
    with open(os.path.join(root, "ext"), "w") as f:
        f.write("subjectAltName=IP:127.0.0.1")
    openssl("x509", "-req", "-in", "csr", "-CA", "ca.pem", "-CAkey",
            "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "ext",
            "-out", "cert.pem")


class Rsyslog:
    """One of our own; text: its configuration."""

    def __init__(self, name, text):
        self.dir = os.path.join(root, name)
        os.mkdir(self.dir)
        conf = os.path.join(self.dir, "conf")
        port = os.path.join(self.dir, "port")
        text = text.replace('port="6514"', 'port="0" listenPortFileName="%s"'
                            % port)
        text = text.replace("/var/log/aegsh", self.dir + "/log")
        text = text.replace("/etc/rsyslog", root)
        with open(conf, "w") as f:
            f.write('global(workDirectory="%s")\n' % self.dir + text)
        self.out = os.path.join(self.dir, "out")
        with open(self.out, "wb") as out:
            self.process = subprocess.Popen(
                ["rsyslogd", "-n", "-f", conf, "-i",
                 os.path.join(self.dir, "pid")], env=dict(os.environ,
                                                          PATH=PATH),
                stdin=subprocess.DEVNULL, stdout=out,
                stderr=subprocess.STDOUT)
        until(lambda: self.process.poll() is not None or (
            os.path.exists(port) and os.path.getsize(port) > 0))
        with open(port) as f:
            self.port = int(f.read())

    def logged(self):
        out = []
        for path in glob.glob(os.path.join(self.dir, "log", "*.log")):
            with open(path, encoding="utf-8") as f:
                out += f.read().splitlines()
        return out

    def close(self):
        self.process.terminate()
        self.process.wait(timeout=DEADLINE)
        with open(self.out, errors="replace") as f:
            return f.read()


fill("echo one", 'echo "two]"', *("echo row %d %s" % (i, "y" * 3500)
                                  for i in range(120)))


def check(rsyslog, sink, name, **more):
    done = ship(sink % rsyslog.port, **more)
    want = ["echo row %d " % i for i in range(120)]

    def there():
        lines = rsyslog.logged()
        return all(any(w in line for line in lines) for w in want)
    tap.ok(done.returncode == 0 and until(there), name, done,
           rsyslog.logged()[:3])
    lines = rsyslog.logged()
    one = [line for line in lines if line.endswith("echo one")]
    tap.ok(len(one) == 1 and " line [aegsh@32473 store=" in one[0] and
           'decision="allow"' in one[0], name + ": a line with its fields",
           one)
    tap.ok(sum("] " in line and line.rstrip().endswith('echo "two]"')
               for line in lines) == 1, name + ": and one that looks like "
           "structured data", lines[:6])
    text = "\n".join(lines).encode()
    done = subprocess.run([CTL, "audit", "verify", "--json", "--witness",
                           "-"], env=env, input=text, timeout=DEADLINE,
                          stdout=subprocess.PIPE)
    verdict = json.loads(done.stdout.splitlines()[-1])
    tap.ok(done.returncode == 0 and verdict["witnessed"] >= 1,
           name + ": its file is a witness", verdict)
    said = rsyslog.close()
    tap.ok("error" not in said.lower() and "closed" not in said.lower(),
           name + ": and has nothing to complain of", said)


NAMES = [n + s for n in ("rsyslog", "rsyslog by TLS") for s in
         ("", ": a line with its fields", ": and one that looks like "
          "structured data", ": its file is a witness",
          ": and has nothing to complain of")]
if shutil.which("rsyslogd", path=PATH) is None:
    for name in NAMES:
        tap.skip(name, "rsyslogd is not here")
else:
    plain = re.sub(r"(?s)global\(.*?\)\n", "", RSYSLOG, count=1)
    plain = re.sub(r"\s*streamDriver\.[a-zA-Z]+=\"[^\"]*\"", "", plain)
    check(Rsyslog("plain", plain), "tcp://127.0.0.1:%d", "rsyslog")
    gtls = glob.glob("/usr/lib*/rsyslog/lmnsd_gtls.so") + glob.glob(
        "/usr/lib/*/rsyslog/lmnsd_gtls.so") + glob.glob(
        os.path.join(os.environ.get("RSYSLOG_MODULES", "/nowhere"),
                     "lmnsd_gtls.so"))
    if gtls and shutil.which("openssl"):
        certificates()
        check(Rsyslog("tls", RSYSLOG), "tls://127.0.0.1:%d",
              "rsyslog by TLS", ship_ca_file=os.path.join(root, "ca.pem"))
    else:
        for name in NAMES[5:]:
            tap.skip(name, "rsyslog-gnutls or openssl is not here")

otel = shutil.which("otelcol", path=PATH) or shutil.which("otelcol-contrib",
                                                          path=PATH)
if otel is None:
    tap.skip("an OpenTelemetry collector", "otelcol is not here")
else:
    out = os.path.join(root, "otel.json")
    conf = os.path.join(root, "otel.yaml")
    with open(conf, "w") as f:
        f.write(OTEL.replace("/var/log/otel/aegsh.json", out))
    p = subprocess.Popen([otel, "--config", conf])

    def collected():
        ship("http://127.0.0.1:4318/v1/logs")
        return os.path.exists(out) and "echo one" in open(out).read()
    tap.ok(until(collected), "an OpenTelemetry collector")
    p.terminate()
    p.wait(timeout=DEADLINE)
tap.done()
