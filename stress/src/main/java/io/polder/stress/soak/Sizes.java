package io.polder.stress.soak;

import java.util.SplittableRandom;

/** How large what a server allocates is: mostly small, some of it large. */
final class Sizes {
    private static final int SMALL = 1 << 10;
    private static final int MIDDLE = 32 << 10;
    private static final int LARGE = 1 << 20;

    private Sizes() {}

    /** A size from 1 byte to 1 MiB. */
    static long next(SplittableRandom random) {
        int dice = random.nextInt(1000);
        int bound = dice < 2 ? LARGE : dice < 50 ? MIDDLE : SMALL;
        return 1L + random.nextInt(bound);
    }
}
