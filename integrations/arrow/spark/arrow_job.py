"""What PySpark has Arrow do, in executors of their own; and what those hold afterwards.

Lines that begin with "result" are the same whoever has Arrow's memory. To be started by spark-submit, with
io.polder.arrow.spark.ArrowJob on the class paths of driver and executors.
"""

import subprocess
import sys
import time

import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql.functions import pandas_udf


def rows(spark, count):
    """Rows of several types, in an order that is the same each time."""
    return spark.range(0, count, 1, 4).selectExpr(
        "id",
        "id / 7.0D as ratio",
        "concat('row ', id) as name",
        "if(id % 5 = 0, null, id * 3) as maybe",
    )


def result(what, frame):
    """Says what a frame has: how many rows, and the sum of their hashes."""
    sums = int(pd.util.hash_pandas_object(frame, index=False).sum())
    print(f"result {what} rows={len(frame)} hash={sums:016x}", flush=True)


def doubled(frames):
    for frame in frames:
        yield frame.assign(ratio=frame["ratio"] * 2, name=frame["name"] + "!")


def jobs(spark, count, client):
    @pandas_udf("double")
    def root(ratio: pd.Series) -> pd.Series:
        return ratio**0.5

    data = rows(spark, count)
    result(f"{client} toPandas", data.toPandas())
    result(f"{client} mapInPandas", data.mapInPandas(doubled, data.schema).toPandas())
    result(f"{client} udf", data.select("id", root("ratio").alias("root")).toPandas())


def connect(port, count):
    """The same through Spark Connect; in a process of its own, which has no JVM."""
    spark = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
    jobs(spark, count, "connect")
    spark.stop()


def main(count, rounds, rest):
    spark = SparkSession.builder.appName("polder-arrow").getOrCreate()
    spark.conf.set("spark.sql.execution.arrow.pyspark.enabled", "true")
    spark.conf.set("spark.sql.execution.arrow.pyspark.fallback.enabled", "false")
    context = spark.sparkContext
    seen = context._jvm.io.polder.arrow.spark.ArrowJob
    seen.waitForExecutors(context._jsc)
    before = time.monotonic()
    for _ in range(rounds):
        jobs(spark, count, "pyspark")
    port = context.getConf().get("spark.connect.grpc.binding.port")
    subprocess.run([sys.executable, __file__, "connect", port, str(count)], check=True)
    print(f"seconds {time.monotonic() - before:.2f}")
    for line in seen.executors(context._jsc):
        print("after the job", line)
    time.sleep(rest)
    for line in seen.executors(context._jsc):
        print(f"{rest} s later", line)
    spark.stop()


if __name__ == "__main__":
    if sys.argv[1] == "connect":
        connect(sys.argv[2], int(sys.argv[3]))
    else:
        main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
