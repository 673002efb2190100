package io.polder;

/** The main class of a JVM that may have two copies of the library on its class path. */
final class CopiesProbe {
    private CopiesProbe() {}

    /** Opens pools, and waits until all that is to be told of was told. */
    public static void main(String[] args) {
        for (int i = 0; i < 2; i++) {
            try (MemoryPool pool = MemoryPool.builder().name("copies " + i).build()) {
                long address = pool.blocks().allocateAddress(100);
                pool.blocks().freeAddress(address);
                Await.until("others are told", () -> OpenPools.INSTANCE.told);
            }
        }
        System.out.println(
                "used: " + MemoryPool.class.getProtectionDomain().getCodeSource().getLocation());
    }
}
