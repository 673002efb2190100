package io.polder.lab.experiments.cache;

import io.polder.lab.report.Format;
import io.polder.tools.html.Term;

/** How many of a hundred operations are reads. */
enum Mix {
    READS(95),
    HALVES(50);

    private final int gets;

    Mix(int gets) {
        this.gets = gets;
    }

    /** In samples and tables: {@code 95/5}. */
    String id() {
        return gets + "/" + (100 - gets);
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
        return new Term(id(), Format.text("%d of 100 operations are gets, the others puts.", gets));
    }
}
