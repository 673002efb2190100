package io.polder.lab.experiments.cache;

import io.polder.lab.report.Format;
import io.polder.tools.html.Term;

/** How many of a hundred operations are reads, and whether puts change the sizes of values. */
enum Mix {
    READS(95, 0),
    HALVES(50, 0),
    RESIZED(50, 25);

    private final int gets;
    private final int spread;

    Mix(int gets, int spread) {
        this.gets = gets;
        this.spread = spread;
    }

    /** In samples and tables: {@code 95/5}. */
    String id() {
        return gets + "/" + (100 - gets) + (spread == 0 ? "" : " resized");
    }

    /** The size of a value that is put; {@code draw} is any number. */
    int valueBytes(int usual, long draw) {
        return spread == 0
                ? usual
                : usual - spread + (int) Long.remainderUnsigned(draw, 2 * spread + 1);
    }

    /** The largest of them. */
    static int valueBytesMax(int usual) {
        return usual + RESIZED.spread;
    }

    /** Whether an operation is a read; {@code draw} is any number. */
    boolean isGet(long draw) {
        return Long.remainderUnsigned(draw, 100) < gets;
    }

    /** The part of the operations that are reads. */
    double getShare() {
        return gets / 100.0;
    }

    Term term() {
        String sizes =
                spread == 0
                        ? "Values are as large as those before"
                        : Format.text("Values differ by up to %d bytes", spread);
        return new Term(
                id(),
                Format.text("%d of 100 operations are gets, the others puts. %s.", gets, sizes));
    }
}
