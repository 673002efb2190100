package io.polder;

import io.polder.heap.space.HeapSpace;

import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;

/**
 * Statistics of all open pools, their blocks and heaps, whenever a recording asks for them. To be
 * used only where there is a Flight Recorder.
 *
 * <p>As long as nobody records, there is a listener, and Flight Recorder is not even started. It
 * asks with locks of its own held: so no code of the program is run here.
 */
final class PeriodicEvents implements FlightRecorderListener {
    private static boolean begun;

    private PeriodicEvents() {}

    /** Makes sure, once, that recordings get statistics. */
    static synchronized void begin() {
        if (!begun) {
            FlightRecorder.addListener(new PeriodicEvents());
            begun = true; // if this is cut short, the next pool that is opened does it
        }
    }

    @Override
    public void recorderInitialized(FlightRecorder recorder) {
        FlightRecorder.addPeriodicEvent(PoolStatisticsEvent.class, PeriodicEvents::pools);
        FlightRecorder.addPeriodicEvent(BlockStatisticsEvent.class, PeriodicEvents::blocks);
        FlightRecorder.addPeriodicEvent(HeapStatisticsEvent.class, PeriodicEvents::heaps);
    }

    private static void pools() {
        for (PoolMemory pool : OpenPools.INSTANCE.reachable()) {
            PoolStatisticsEvent.record(pool.label(), pool.stats());
        }
    }

    private static void blocks() {
        for (PoolMemory pool : OpenPools.INSTANCE.reachable()) {
            for (PoolStatistics.BlockSize each : pool.blocks.statistics().sizes()) {
                BlockStatisticsEvent.record(pool.label(), each);
            }
        }
    }

    private static void heaps() {
        for (PoolMemory pool : OpenPools.INSTANCE.reachable()) {
            for (HeapSpace each : pool.heaps.list()) {
                HeapStatisticsEvent.record(pool.label(), each.stats());
            }
        }
    }
}
