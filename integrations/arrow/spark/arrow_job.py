"""What PySpark has Arrow do, in executors of their own; and what those hold afterwards.

Lines that begin with "result" are the same whoever has Arrow's memory. To be started by spark-submit, with
io.polder.arrow.spark.Executors on the class paths of driver and executors.
"""

import os
import subprocess
import sys
import time

import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql.functions import pandas_udf

# Enough for what only the first batches need, as classes, threads and processes.
WARM_UP_ROWS = 1000


def rows(spark, count):
    """Rows of several types, in an order that is the same each time."""
    return spark.range(0, count, 1, 4).selectExpr(
        "id",
        "id / 7.0D as ratio",
        "concat('row ', id) as name",
        "if(id % 5 = 0, null, id * 3) as maybe",
    )


def hashed(frame):
    """How many rows a frame has, and the sum of their hashes, which the places of rows are part of."""
    sums = int(pd.util.hash_pandas_object(frame).sum())
    return f"rows={len(frame)} hash={sums:016x}"


def doubled(frames):
    for frame in frames:
        yield frame.assign(ratio=frame["ratio"] * 2, name=frame["name"] + "!")


def jobs(spark, count):
    """Does all of it once, and returns what each made."""

    @pandas_udf("double")
    def root(ratio: pd.Series) -> pd.Series:
        return ratio**0.5

    data = rows(spark, count)
    return {
        "toPandas": data.toPandas(),
        "mapInPandas": data.mapInPandas(doubled, data.schema).toPandas(),
        "pandas_udf": data.select("id", root("ratio").alias("root")).toPandas(),
    }


def timed(spark, count, client):
    before = time.monotonic()
    frames = jobs(spark, count)
    print(f"seconds {time.monotonic() - before:.2f} {client}")
    for name, frame in frames.items():
        print(f"result {client} {name} {hashed(frame)}", flush=True)


def connect(port, count):
    """Through Spark Connect; in a process of its own, which has no JVM."""
    spark = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
    jobs(spark, WARM_UP_ROWS)
    timed(spark, count, "connect")
    spark.stop()


def client(*arguments):
    """Starts this program once more, as one that knows nothing of the Spark that started this one."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("MASTER", "PYTHONPATH") and not name.startswith(("SPARK_", "PYSPARK_"))
    }
    command = [sys.executable, os.path.abspath(__file__), "connect", *map(str, arguments)]
    subprocess.run(command, check=True, env=environment)


def say(lines):
    for line in lines:
        print(line, flush=True)


def main(count, rounds, rest):
    spark = (
        SparkSession.builder.appName("polder-arrow")
        .config("spark.sql.execution.arrow.pyspark.enabled", "true")
        .config("spark.sql.execution.arrow.pyspark.fallback.enabled", "false")
        .getOrCreate()
    )
    context = spark.sparkContext
    executors = context._jvm.io.polder.arrow.spark.Executors
    executors.awaitAll(context._jsc)
    jobs(spark, WARM_UP_ROWS)
    say(executors.lines(context._jsc, "before"))
    for _ in range(rounds):
        timed(spark, count, "pyspark")
    client(context.getConf().get("spark.connect.grpc.binding.port"), count)
    say(executors.lines(context._jsc, "after"))
    time.sleep(rest)
    say(executors.lines(context._jsc, "rested"))
    say(executors.pools(context._jsc))
    spark.stop()


if __name__ == "__main__":
    if sys.argv[1] == "connect":
        connect(int(sys.argv[2]), int(sys.argv[3]))
    else:
        main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
