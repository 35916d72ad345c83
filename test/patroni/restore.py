"""A server that is restored to points in time with pgBackRest: what it gave after such a
point does not come again, although the rows are gone."""

import os
import shutil
import signal
import subprocess
import time

from cluster import BIN, DATABASE, NET, PORT, WORK, Server, send, wait_for
from load import FAMILIES, Load

PROGRAM = WORK + "/unpacked/usr/bin/pgbackrest"
LOST = 10      # seconds before and after each point; the skip covers what is drawn then
DRAWN = [f for f, (space, _, _) in FAMILIES.items() if space in ("orders", "quiet", "gdid", "code", "decimal")]


class Restored(Server):
    """A server that archives with pgBackRest."""

    def configure(self):
        """The configuration of pgBackRest; the server's archive_command."""
        with open(self.folder + "/pgbackrest.conf", "w") as f:
            f.write("[global]\nlog-level-console=warn\n%s[gid]\npg1-path=%s\npg1-socket-path=%s\npg1-port=%d\n"
                    "pg1-user=postgres\n" % ("".join("%s-path=%s/%s\n" % (name, self.folder, name)
                                                    for name in ("repo1", "log", "lock", "spool")),
                                             self.data, self.folder, PORT))
        return " ".join(self.command()) + " archive-push %p"

    def command(self):
        return [PROGRAM, "--config=%s/pgbackrest.conf" % self.folder, "--stanza=gid"]

    def backrest(self, *arguments):
        with open(self.log, "a") as log:
            subprocess.run(self.command() + list(arguments), check=True, stdout=log, stderr=log,
                           cwd=self.folder, env={**os.environ, "PATH": BIN + ":/usr/bin:/bin"})

    def restore(self, target):
        """The server as it was at the moment target."""
        send(signal.SIGQUIT, [self.child.pid])
        self.child.wait()
        self.backrest("--delta", "--type=time", "--target=" + target, "--target-action=promote",
                      "--set=" + self.label, "restore")
        self.start()
        return wait_for("the end of the restore", 120, lambda: self.query("SELECT pg_is_in_recovery()") == [(False,)])


def run(rounds, seed):
    """One server, some restores.  The load, whether each restore succeeded, the timelines."""
    folder = WORK + "/restore"
    server = Restored(folder, "server", NET + "30")
    server.init({"shared_preload_libraries": "gid", "gid.authority": 1, "gid.launch_id": 65, "fsync": "off",
                 "archive_mode": "on", "archive_command": server.configure(), "max_connections": 60})
    server.start()
    server.query("CREATE DATABASE " + DATABASE)
    for statement in ("CREATE EXTENSION gid", "CREATE SEQUENCE orders", "CREATE SEQUENCE quiet",
                      "CREATE SEQUENCE gdids", "CREATE SEQUENCE codes", "CREATE TABLE ids (family text, id text)"):
        server.query(statement, DATABASE)
    server.backrest("stanza-create")
    server.backrest("--type=full", "--start-fast", "backup")
    server.label = sorted(name for name in os.listdir(server.folder + "/repo1/backup/gid") if name.endswith("F"))[-1]

    load = Load(folder, seed)
    for family in DRAWN:
        for i in range(2):
            load.add("the server", family, [server.uri()])
    load.start()
    well = []
    try:
        for _ in range(rounds):
            time.sleep(LOST)
            target = str(server.query("SELECT clock_timestamp()")[0][0])
            time.sleep(LOST)
            # The end of what is archived lies after the target.
            segment = server.query("SELECT pg_walfile_name(pg_switch_wal())")[0][0]
            wait_for("the archive", 60, lambda: server.query(
                "SELECT last_archived_wal >= '%s' FROM pg_stat_archiver" % segment)[0][0])
            well.append(server.restore(target))
            if not well[-1]:
                break
        time.sleep(LOST)
    finally:
        load.stop()
        promotions = server.log_has("selected new timeline ID")
        server.kill()
        shutil.rmtree(server.data, ignore_errors=True)
    return load, well, promotions
