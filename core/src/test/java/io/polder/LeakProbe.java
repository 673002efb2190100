package io.polder;

/** Forgets arenas of the common pool, and waits until they are found. */
final class LeakProbe {
    private LeakProbe() {}

    public static void main(String[] args) {
        for (int i = 0; i < 3; i++) {
            forget();
        }
        Await.until(
                "all leaks were found",
                () -> {
                    System.gc();
                    return MemoryPool.common().stats().leaks().leaked() == 3;
                });
        PoolStatistics.Leaks leaks = MemoryPool.common().stats().leaks();
        System.out.println("leaked=" + leaks.leaked() + " bytes=" + leaks.leakedBytes());
    }

    private static void forget() {
        MemoryPool.ofConfined().allocate(10);
    }
}
