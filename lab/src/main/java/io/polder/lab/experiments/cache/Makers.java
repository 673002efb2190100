package io.polder.lab.experiments.cache;

import java.util.ServiceLoader;

/** Finds what opens a contender's caches. */
final class Makers {
    private Makers() {}

    /**
     * That of a contender.
     *
     * @throws IllegalStateException if it is not on the class path
     */
    static CacheMaker of(Contender contender) {
        return switch (contender) {
            case POLDER -> new PolderMaker();
            case CAFFEINE -> new CaffeineMaker();
            default -> {
                for (CacheMaker maker : ServiceLoader.load(CacheMaker.class)) {
                    if (maker.id().equals(contender.id())) {
                        yield maker;
                    }
                }
                throw new IllegalStateException(
                        "a contender must be on the class path: contender=" + contender.id());
            }
        };
    }
}
