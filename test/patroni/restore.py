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
ROUNDS = 3
DRAWN = [f for f, (space, _, _) in FAMILIES.items() if space in ("orders", "quiet", "gdid", "code", "decimal")]


class Restored(Server):
    """A server that archives with pgBackRest."""

    def backrest(self, *arguments):
        with open(self.log, "a") as log:
            subprocess.run([PROGRAM, "--stanza=gid", "--config=/dev/null", "--pg1-path=" + self.data,
                            "--pg1-socket-path=" + self.folder, "--pg1-port=%d" % PORT, "--pg1-user=postgres",
                            "--repo1-path=" + self.folder + "/repo", "--log-path=" + self.folder,
                            "--lock-path=" + self.folder + "/lock", "--spool-path=" + self.folder + "/spool",
                            "--log-level-console=warn", *arguments], check=True, stdout=log, stderr=log,
                           cwd=self.folder, env={**os.environ, "PATH": BIN + ":/usr/bin:/bin"})

    def restore(self, target):
        """The server as it was at the moment target."""
        send(signal.SIGQUIT, [self.child.pid])
        self.child.wait()
        self.backrest("--delta", "--type=time", "--target=" + target, "--target-action=promote",
                      "--set=" + self.label, "restore")
        self.start()
        return wait_for("the end of the restore", 120, lambda: self.query("SELECT pg_is_in_recovery()") == [(False,)])


def run(seconds, seed, settings):
    """One server, ROUNDS restores.  The load, and whether each restore succeeded."""
    folder = WORK + "/restore"
    server = Restored(folder, "server", NET + "30")
    server.init({"shared_preload_libraries": "gid", "gid.authority": 1, "gid.launch_id": 65, "fsync": "off",
                 "archive_mode": "on", "max_connections": 60, "archive_command":
                 "%s --stanza=gid --config=/dev/null --pg1-path=%s --repo1-path=%s/repo --log-path=%s "
                 "--lock-path=%s/lock --spool-path=%s/spool archive-push %%p"
                 % (PROGRAM, server.data, server.folder, server.folder, server.folder, server.folder), **settings})
    server.start()
    server.query("CREATE DATABASE " + DATABASE)
    for statement in ("CREATE EXTENSION gid", "CREATE SEQUENCE orders", "CREATE SEQUENCE quiet",
                      "CREATE SEQUENCE gdids", "CREATE SEQUENCE codes", "CREATE TABLE ids (family text, id text)"):
        server.query(statement, DATABASE)
    server.backrest("stanza-create")
    server.backrest("--type=full", "--start-fast", "backup")
    server.label = sorted(name for name in os.listdir(server.folder + "/repo/backup/gid") if name.endswith("F"))[-1]

    load = Load(folder, seed)
    for family in DRAWN:
        for i in range(2):
            load.add("the server", family, [server.uri()])
    load.start()
    well = []
    try:
        for _ in range(ROUNDS):
            time.sleep(seconds / ROUNDS / 2)
            target = str(server.query("SELECT clock_timestamp()")[0][0])
            time.sleep(seconds / ROUNDS / 2)
            server.query("SELECT pg_switch_wal()")
            archived = server.query("SELECT pg_walfile_name(pg_current_wal_lsn() - 1)")[0][0]
            wait_for("the archive", 60, lambda: server.query(
                "SELECT last_archived_wal >= '%s' OR pg_walfile_name(pg_current_wal_lsn()) = '%s' "
                "FROM pg_stat_archiver" % (archived, archived))[0][0])
            well.append(server.restore(target))
        time.sleep(seconds / ROUNDS / 2)
    finally:
        load.stop()
        promotions = server.log_has("selected new timeline ID")
        server.kill()
        shutil.rmtree(server.data, ignore_errors=True)
    return load, well, promotions
