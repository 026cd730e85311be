"""The steps of .ci/spark. Each is `spark.py STEP DIRECTORY TOOL ROWS`, and works on the files of the directory.

The step `figures` has the tool of the rename in the place of ROWS.
"""

import contextlib
import inspect
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession, functions as F
from spark_documents import document

step, directory, tool = sys.argv[1], Path(sys.argv[2]).resolve(), os.path.abspath(sys.argv[3])
root = Path(__file__).resolve().parent.parent
command = [tool, "documents", "--threads", "1", "--types", "Person", "--types", "Group", "--types", "Call"]
columns = "key string, type string, version int, content string"


def make(count):
    """Writes the table of documents, the list of those that cannot be upgraded, and what the others are in caches."""
    generator, failures, files = random.Random(68), [], 20
    (directory / "documents").mkdir()
    for file in range(files):
        rows = [document(number, generator) for number in range(count * file // files, count * (file + 1) // files)]
        failures += [(key, code) for key, _, _, _, code in rows if code]
        write(directory / f"documents/{file:02}.parquet", [row[:4] for row in rows])
    write(directory / "failures.parquet", failures, ["key", "code"])
    print(f"{count} documents, {len(failures)} of which cannot be upgraded", flush=True)
    caches()


def write(file, rows, names=("key", "type", "version", "content")):
    pq.write_table(pa.table([pa.array(column) for column in zip(*rows)], names=list(names)), file)


def caches():
    """Writes the table of what the documents are in caches that the tool upgraded as an app's stores."""
    (directory / "expected").mkdir()
    for version in range(4):
        file = directory / f"{version}.molt"
        shutil.copy(root / f"Sources/Contacts/Stores/release-{max(version, 1)}.molt", file)
        store = sqlite3.connect(file)
        store.executescript(f"DELETE FROM molt_record; PRAGMA user_version = {version}")
        types = dict(store.execute("SELECT name, id FROM molt_type"))
        rows = duckdb.execute(f"""SELECT key, type, content FROM '{directory}/documents/*.parquet'
            ANTI JOIN '{directory}/failures.parquet' USING (key) WHERE version = {version}""")
        while chunk := rows.fetchmany(100_000):
            store.executemany(
                """INSERT INTO molt_record(key, type_id, version, content, created_at, updated_at, accessed_at)
                VALUES (?, ?, ?, ?, 0, 0, 0)""", [(key, types[type], version, content) for key, type, content in chunk])
        store.commit()
        store.close()
        subprocess.run([tool, "upgrade", file, "--without-settings"], check=True, stdout=subprocess.DEVNULL)
        store = sqlite3.connect(file)
        (reached,) = store.execute("PRAGMA user_version").fetchone()
        rows = store.execute(f"""SELECT record.key, type.name, {reached}, record.content FROM molt_record AS record
            JOIN molt_type AS type ON type.id = record.type_id""")
        for part in iter(lambda: rows.fetchmany(200_000), []):
            write(directory / f"expected/{version}-{part[0][0].split('/')[1].split()[0]}.parquet", part)
        store.close()
        file.unlink()
    duckdb.sql(f"""COPY (SELECT * FROM '{directory}/documents/*.parquet' ANTI JOIN '{directory}/failures.parquet'
        USING (key) WHERE version = 4) TO '{directory}/expected/4.parquet'""")


# The job. The guide "Upgrading many documents with an engine" shows this function.


def through_the_tool(batches):
    """Passes the lines of a partition through the tool, and returns its lines and its problems."""
    with tempfile.TemporaryFile() as old, tempfile.TemporaryFile() as new, tempfile.NamedTemporaryFile() as problems:
        for batch in batches:
            old.writelines(line.encode() + b"\n" for line in batch.column(0).to_pylist())
        old.seek(0)
        subprocess.run([*command, "--problems", problems.name], stdin=old, stdout=new, check=True)
        new.seek(0)
        for file in [new, problems]:
            while lines := file.readlines(1 << 20):
                yield pa.record_batch([pa.array(lines, pa.string())], ["line"])


def spark_session(executors):
    """Starts Spark with executors of their own processes, which have one core each."""
    # The files of a worker that is killed are removed with the directory.
    os.environ.update(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable, TMPDIR=str(directory))
    options = {"ui.enabled": "false", "ui.showConsoleProgress": "false", "local.dir": str(directory),
               "sql.files.maxPartitionBytes": "16m", "sql.files.openCostInBytes": "16m", "log.level": "ERROR"}
    options = {f"spark.{name}": value for name, value in options.items()}
    return SparkSession.builder.master(f"local-cluster[{executors},1,1024]").config(map=options).getOrCreate()


def upgrade():
    """Upgrades the table while a tool, a worker of Python and an executor are killed."""
    guide = root / "Sources/Molt/Molt.docc/UpgradingManyDocuments.md"
    if inspect.getsource(through_the_tool) not in guide.read_text():
        sys.exit("error: the guide shows another function")
    spark, killed, start = spark_session(executors=2), [], time.monotonic()
    tracker = spark.sparkContext.statusTracker()
    threading.Thread(target=kill, args=(tracker, killed), daemon=True).start()
    line = F.to_json(F.struct("key", "type", "version", "content"))
    row = F.from_json("line", columns + ", code string")
    (spark.read.parquet(str(directory / "documents")).select(line).mapInArrow(through_the_tool, "line string")
        .select(row.alias("row")).select("row.*", F.isnotnull("row.code").alias("failed"))
        .write.partitionBy("failed").parquet(str(directory / "spark")))
    seconds = time.monotonic() - start
    failed = sum(tracker.getStageInfo(stage).numFailedTasks for job in tracker.getJobIdsForGroup()
                 for stage in tracker.getJobInfo(job).stageIds if tracker.getStageInfo(stage))
    spark.stop()
    if len(killed) < 3 or not failed:
        sys.exit(f"error: the job ended after {len(killed)} kills and {failed} failed tasks: take more rows")
    print(f"Spark: {seconds:.1f} s with 2 executors; killed {', '.join(killed)}; {failed} tasks failed and ran again")


def kill(tracker, killed):
    """Kills a tool, the worker that started it, and the executor above, each after more tasks have completed."""
    victims = [("a tool", 0, 2), ("a worker", 1, 6), ("an executor", 3, 10)]
    while victims:
        time.sleep(0.01)
        name, level, completed = victims[0]
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        processes = family()
        tools = [pid for pid, process in processes.items() if process[0] == Path(tool).name]
        if not tools or not any(stage and stage.numCompletedTasks >= completed for stage in stages):
            continue
        pid = max(tools)
        for _ in range(level):
            pid = processes[pid][1]
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            killed.append(victims.pop(0)[0])


def family():
    """Returns the name, the parent and the processor time of this process and of those below it."""
    processes = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            head, tail = file.read_text().rsplit(")", 1)
        except OSError:
            continue
        fields = tail.split()
        seconds = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        processes[int(file.parent.name)] = (head.split("(", 1)[1], int(fields[1]), seconds)
    found, level = {}, {os.getpid()}
    while level:
        found.update((pid, processes[pid]) for pid in level if pid in processes)
        level = {pid for pid, process in processes.items() if process[1] in level and pid not in found}
    return found


def check(name, documents, problems):
    """Compares documents and problems with those expected, as often as each occurs."""
    pairs = {"documents": (f"SELECT key, type, version, content FROM {documents}",
                           f"SELECT key, type, version, content FROM '{directory}/expected/*.parquet'"),
             "problems": (f"SELECT key, code FROM {problems}", f"SELECT key, code FROM '{directory}/failures.parquet'")}
    for what, (found, expected) in pairs.items():
        count = lambda query: duckdb.execute(f"SELECT count(*) FROM ({query})").fetchone()[0]
        missing, wrong = count(f"{expected} EXCEPT ALL {found}"), count(f"{found} EXCEPT ALL {expected}")
        if missing or wrong or not count(expected):
            sys.exit(f"error: {name}: {missing} {what} are missing, and {wrong} are wrong or there twice")
        print(f"{name}: {count(found)} {what} are as expected")


# The figures, all of the same documents: people of release 1, whose content is text in an envelope, and also JSON.

rename = 'if has("mail") then .email = .mail | del(.mail) else . end'
address = " | ".join(f'if has("{name}") then .address.{name} = .{name} | del(.{name}) else . end'
                     for name in ["street", "city"])
all_steps = f"""{rename} | (.fullName | split(" ")) as $words | .firstName = $words[0]
    | .lastName = ($words[1:] | join(" ")) | del(.fullName) | {address} | del(.fax) | .isFavorite = false"""


def by_hand(line):
    """Does in Python what all the migrations do."""
    row = json.loads(line)
    person = json.loads(row["content"])
    if "mail" in person:
        person["email"] = person.pop("mail")
    person["firstName"], _, person["lastName"] = person.pop("fullName").partition(" ")
    if address := {name: person.pop(name) for name in ["street", "city"] if name in person}:
        person["address"] = address
    person.pop("fax", None)
    person["isFavorite"] = False
    row |= {"type": "Person", "version": 4, "content": json.dumps(person, ensure_ascii=False)}
    return json.dumps(row, ensure_ascii=False)


def rows(lines):
    return lines.select(F.from_json("value", columns).alias("row")).select("row.*")


def people(lines):
    text = "fullName string, mail string, phone string, fax string, birthYear bigint, street string, city string"
    return rows(lines).withColumn("person", F.from_json("content", text))


def with_a_schema(lines):
    person = lambda name: F.col("person." + name)
    words = lambda index: F.regexp_extract(person("fullName"), r"^(\S*)\s*(.*)$", index)
    parts = person("street"), person("city")
    address = F.when(F.coalesce(*parts).isNotNull(), F.struct(*parts))
    content = F.to_json(F.struct(
        words(1).alias("firstName"), words(2).alias("lastName"), person("mail").alias("email"), person("phone"),
        person("birthYear"), address.alias("address"), F.lit(False).alias("isFavorite")))
    return (people(lines)
        .select("key", F.lit("Person").alias("type"), F.lit(4).alias("version"), content.alias("content"))
        .select(F.to_json(F.struct("*"))))


def renamed_with_a_schema(lines):
    renamed = F.col("person").withField("email", F.col("person.mail")).dropFields("mail")
    return people(lines).select(F.to_json(F.struct("key", "type", "version", F.to_json(renamed).alias("content"))))


def renamed_with_variants(lines):
    mail = lambda person: F.variant_get(person, F.lit("$.mail"), "string")
    person = F.parse_json("content")
    renamed = F.variant_delete(F.variant_set(person, F.lit("$.email"), mail(person)), F.lit("$.mail"))
    content = F.to_json(F.when(mail(person).isNotNull(), renamed).otherwise(person))
    return rows(lines).select(F.to_json(F.struct("key", "type", "version", content.alias("content"))))


def figures():
    """Measures ways to upgrade lines, and prints them as a table."""
    lines, plain, out = directory / "lines.jsonl", directory / "plain.jsonl", directory / "out"
    duckdb.sql(f"""COPY (SELECT * FROM '{directory}/documents/*.parquet' ANTI JOIN '{directory}/failures.parquet'
        USING (key) WHERE type = 'Alien' LIMIT 200000) TO '{lines}' (FORMAT json)""")
    duckdb.sql(f"""COPY (SELECT * REPLACE (content::JSON AS content) FROM read_json('{lines}', columns = {{
        key: 'VARCHAR', type: 'VARCHAR', version: 'BIGINT', content: 'VARCHAR'}})) TO '{plain}' (FORMAT json)""")
    count = sum(1 for _ in open(lines, "rb"))
    rename_tool = os.path.abspath(sys.argv[4])
    through = lambda frame: frame.mapInArrow(through_the_tool, "line string")
    in_python = lambda frame: frame.select(F.udf(by_hand, useArrow=True)("value"))

    def run(file, *words):
        subprocess.run(words, stdin=open(file), stdout=open(out, "w"), stderr=subprocess.DEVNULL, check=True)

    def in_spark(spark, way):
        way(spark.read.text(str(lines))).write.mode("overwrite").text(str(out))

    def contents(paths):
        parts = (json.loads(line) for path in paths for line in open(path) if line.strip())
        return {row["key"]: json.loads(row["content"]) if isinstance(row["content"], str) else row["content"]
                for row in parts}

    def measure(name, work, expected):
        best = [float("inf")] * 2
        for _ in range(3):
            before, start = sum(process[2] for process in family().values()), time.monotonic()
            work()
            spent = sum(process[2] for process in family().values()) - before
            best = [min(best[0], time.monotonic() - start), min(best[1], spent)]
        found = contents(sorted(out.glob("part-*")) if out.is_dir() else [out])
        wrong = sum(found.get(key) != value for key, value in expected.items())
        shutil.rmtree(out) if out.is_dir() else out.unlink()
        print(f"| {name} | {count / best[0]:,.0f} | {best[1] / count * 1e6:.1f} | {100 * wrong / count:.0f} % |")

    source = contents([lines])
    renamed = {key: {"email" if name == "mail" else name: value for name, value in person.items()}
               for key, person in source.items()}
    upgraded = {row[0]: json.loads(row[1]) for row in duckdb.sql(
        f"SELECT key, content FROM '{directory}/expected/*.parquet'").fetchall() if row[0] in source}
    size = lambda file: f"{file.stat().st_size / count:.0f}"
    print(f"\n{count:,} documents, {size(lines)} bytes each as lines, {size(plain)} with the content as JSON\n")
    print("| way | documents a second | processor µs of each | with lost or changed values |\n|---|---|---|---|")
    for changes, program, steps, expected in [
            ("the rename alone", rename_tool, rename, renamed), ("all changes", tool, all_steps, upgraded)]:
        measure(f"the tool, {changes}, content as JSON",
                lambda: run(plain, program, "documents", "--threads", "1"), expected)
        measure(f"`jq -c`, {changes}, content as JSON",
                lambda: run(plain, "jq", "-c", f".content |= ({steps})"), expected)
        for threads in "1", "2":
            measure(f"the tool, {changes}, threads: {threads}",
                    lambda: run(lines, program, "documents", "--threads", threads), expected)
        text_steps = f".content |= (fromjson | {steps} | tojson)"
        measure(f"`jq -c`, {changes}", lambda: run(lines, "jq", "-c", text_steps), expected)
    for executors in 1, 2:
        spark = spark_session(executors)
        for name, way, expected in [("the tool, all changes", through, upgraded),
                                    ("a function in Python, all changes", in_python, upgraded),
                                    ("`from_json` with a schema, all changes", with_a_schema, upgraded),
                                    ("`from_json` with a schema, the rename alone", renamed_with_a_schema, renamed),
                                    ("`parse_json`, the rename alone", renamed_with_variants, renamed)]:
            measure(f"Spark, executors: {executors}; {name}", lambda: in_spark(spark, way), expected)
        spark.stop()


if step == "make":
    make(int(sys.argv[4]))
elif step == "upgrade":
    upgrade()
    check("Spark", f"'{directory}/spark/failed=false/*.parquet'", f"'{directory}/spark/failed=true/*.parquet'")
elif step == "check-duckdb":
    check("DuckDB", f"'{directory}/duckdb.parquet'", f"read_json('{directory}/problems.jsonl')")
elif step == "figures":
    figures()
