package io.polder;

import io.polder.stress.everywhere.Scenario;

import org.jspecify.annotations.Nullable;

import java.util.function.Function;

/** An operation on a pool of its own, which is used by others, too. */
final class PoolScenario implements Scenario {
    private final PoolUnderTest under;
    private final Holdings holdings;
    private final Operation operation;

    /** What something is thrown in. */
    @FunctionalInterface
    interface Operation {
        void run() throws Throwable;
    }

    /**
     * Sets it up.
     *
     * @param under a pool that nobody has used
     * @param setUp makes what the operation needs, and the operation
     */
    PoolScenario(PoolUnderTest under, Function<Holdings, Operation> setUp) {
        this.under = under;
        this.holdings = new Holdings(under);
        holdings.addBystanders();
        this.operation = setUp.apply(holdings);
    }

    @Override
    public void operate() throws Throwable {
        operation.run();
    }

    @Override
    public void check(@Nullable Throwable thrown) throws Throwable {
        verify();
        if (thrown != null) {
            operation.run();
            verify();
        }
        if (under.isOpen()) {
            holdings.useEverything();
            verify();
        }
        holdings.closeAll();
        under.requireAllComesBack();
    }

    private void verify() {
        under.verify();
        holdings.verify();
    }

    @Override
    public void abandon() {
        under.abandon();
    }
}
