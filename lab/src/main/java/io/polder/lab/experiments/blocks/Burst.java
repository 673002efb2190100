package io.polder.lab.experiments.blocks;

import java.time.Duration;
import java.util.Arrays;

/**
 * A burst: traffic in which more lives from moment to moment; most of it is freed in random order;
 * then nobody calls. All by one thread, which sleeps afterwards.
 *
 * <pre>{@code
 *   lives       _/|
 *             _/  |
 *           _/    |
 *         _/      |___________________ one of twenty blocks
 *        | traffic | idle, looked at each second | all free
 * }</pre>
 */
final class Burst {
    /** Its name among the workloads. */
    static final String ID = "burst";

    static final String BEGIN = "begin";
    static final String TRAFFIC = "traffic";
    static final String FULL = "full";
    static final String END = "end";

    /** Seconds after most was freed, at which resident memory is compared. */
    static final int COMPARED_SECOND = 5;

    private static final BlockSizes SIZES = BlockSizes.uniform(8, 1000);
    private static final int KEPT_OF = 20;

    /** Traffic comes so often. */
    private static final int TICKS_PER_SECOND = 1000;

    private static final int WARM_UP_BLOCKS = 64;
    private static final int WARM_UPS = 3000;

    private final BlockSource source;
    private final long[] addresses;
    private final int[] bytes;
    private int count;
    private long random;
    private long ticks;

    /** Creates a burst in which so many bytes live at the end of the traffic. */
    Burst(BlockSource source, long bytesMax, long seed) {
        this.source = source;
        this.addresses = new long[Math.max(KEPT_OF, (int) (bytesMax / SIZES.mean()))];
        this.bytes = new int[addresses.length];
        this.random = Work.firstRandom(seed, 0);
        // Memory of these arrays is there from the beginning.
        Arrays.fill(addresses, -1);
        Arrays.fill(bytes, -1);
    }

    /** Does everything with few blocks, often. */
    void warmUp() {
        for (int i = 0; i < WARM_UPS; i++) {
            growTo(Math.min(WARM_UP_BLOCKS, addresses.length));
            replace(WARM_UP_BLOCKS);
            freeDownTo(WARM_UP_BLOCKS / KEPT_OF);
            freeRest();
        }
    }

    /**
     * Traffic for a while: blocks are added, and as many are replaced.
     *
     * @param whole time of all traffic, in which all blocks are added
     */
    void traffic(Duration time, Duration whole) throws InterruptedException {
        long start = System.nanoTime();
        long end = ticks + time.toMillis() * TICKS_PER_SECOND / 1000;
        long last = whole.toMillis() * TICKS_PER_SECOND / 1000;
        long first = ticks;
        while (ticks < end) {
            ticks++;
            int before = count;
            growTo((int) (addresses.length * ticks / last));
            replace(count - before);
            long due =
                    start
                            + (ticks - first) * (1_000_000_000 / TICKS_PER_SECOND)
                            - System.nanoTime();
            if (due > 0) {
                Thread.sleep(Duration.ofNanos(due));
            }
        }
    }

    /** Frees 95 % in random order. */
    void freeMost() {
        freeDownTo(addresses.length / KEPT_OF);
    }

    /** Frees what is left. */
    void freeRest() {
        freeDownTo(0);
    }

    private void growTo(int wanted) {
        while (count < wanted) {
            random = Work.next(random);
            allocate(count++);
        }
    }

    private void replace(int replaced) {
        for (int i = 0; i < replaced; i++) {
            random = Work.next(random);
            int slot = drawn();
            free(slot);
            allocate(slot);
        }
    }

    private void freeDownTo(int left) {
        while (count > left) {
            random = Work.next(random);
            int slot = drawn();
            free(slot);
            count--;
            if (slot < count) {
                // The last one takes its place, and is marked as the block of that.
                addresses[slot] = addresses[count];
                bytes[slot] = bytes[count];
                Marks.check(addresses[slot], bytes[slot], count);
                Marks.write(addresses[slot], bytes[slot], slot);
            }
        }
    }

    private int drawn() {
        return (int) (((random & 0xFFFF_FFFFL) * count) >>> Integer.SIZE);
    }

    private void allocate(int slot) {
        int size = SIZES.at(random);
        addresses[slot] = source.allocate(size);
        bytes[slot] = size;
        Marks.write(addresses[slot], size, slot);
    }

    private void free(int slot) {
        Marks.check(addresses[slot], bytes[slot], slot);
        source.free(addresses[slot]);
    }

    /** Name of a moment after most was freed. */
    static String idle(int second) {
        return "idle" + second;
    }
}
