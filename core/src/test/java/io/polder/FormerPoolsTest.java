package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.background.Background;
import io.polder.leak.Collected;
import io.polder.leak.Kind;
import io.polder.leak.LeakDetector;
import io.polder.leak.LeakRecord;
import io.polder.leak.LeakTracker;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import javax.management.MBeanServer;
import javax.management.ObjectName;

/** What is known of the leaks of pools that were closed, or became unreachable. */
@EnabledOnOs(OS.LINUX)
class FormerPoolsTest {
    private static MemoryPool pool(String name, LeakDetection leaks) {
        return MemoryPool.builder().name(name).leaks(leaks).build();
    }

    private static List<String> listed(String name) {
        return OpenPools.INSTANCE.formerLeaks().stream()
                .filter(each -> each.startsWith(name + ": ") || each.startsWith(name + " #"))
                .toList();
    }

    private static void awaitListed(String name) {
        Collected.until("leaks of " + name + " are listed", () -> !listed(name).isEmpty());
    }

    /** In a frame of its own, which is gone when the collector comes. */
    private static void forget(MemoryPool pool) {
        pool.openShared().allocate(1000);
    }

    private static void awaitLeak(MemoryPool pool) {
        Collected.until("the leak is found", () -> pool.stats().leaks().leaked() == 1);
    }

    @Test
    void close_leaksWereFound_areListedWithWhoAndHowMuch() {
        MemoryPool pool = pool("closed with a leak", LeakDetection.ALL);
        try {
            forget(pool);
            awaitLeak(pool);
            assertThat(listed("closed with a leak")).isEmpty();
        } finally {
            pool.close();
        }
        assertThat(listed("closed with a leak").getFirst())
                .startsWith("closed with a leak: 1 found, 1.00 KB, most from ")
                .contains("FormerPoolsTest.forget(");
        pool.close();
        assertThat(listed("closed with a leak")).as("closed again").hasSize(1);
    }

    @Test
    void close_blocksAreLeft_areListed() {
        try (MemoryPool pool = pool("closed with blocks", LeakDetection.ALL)) {
            long block = pool.blocks().allocateAddress(100);
            assertThat(block).isNotZero();
        }
        assertThat(listed("closed with blocks").getFirst()).contains(": 1 found, ");
    }

    @Test
    void close_anArenaIsForgottenLaterOn_isFoundAndListed() {
        List<Arena> open = new ArrayList<>();
        try (MemoryPool pool = pool("closed, then a leak", LeakDetection.ALL)) {
            open.add(pool.openShared());
            open.getFirst().allocate(1000);
        }
        assertThat(listed("closed, then a leak")).isEmpty();
        open.clear();
        awaitListed("closed, then a leak");
        assertThat(listed("closed, then a leak").getFirst()).contains(": 1 found, ");
    }

    @Test
    void close_collectedAndNotEnqueued_isListed() {
        MemoryPool pool = pool("closed, not enqueued", LeakDetection.ALL);
        try (Arena arena = pool.openShared()) {
            arena.allocate(1000);
            pool.close();
            Collected.clear(pool.memory.leaks);
            assertThat(listed("closed, not enqueued").getFirst()).contains(": 1 found, ");
        }
    }

    @Test
    void unreachable_withWhatItHandedOut_isListed() {
        forgetWithItsPool();
        awaitListed("nobody closed it");
        assertThat(listed("nobody closed it").getFirst()).contains(": 1 found, 1.00 KB");
    }

    private static void forgetWithItsPool() {
        forget(pool("nobody closed it", LeakDetection.ALL));
    }

    @Test
    void unreachable_leaksWereFound_keepsNoPool() {
        WeakReference<MemoryPool> pool = forgetOnceFound();
        Collected.until("it is unreachable", () -> pool.refersTo(null));
        awaitListed("found, then gone");
        assertThat(listed("found, then gone").getFirst()).contains(": 1 found, ");
    }

    private static WeakReference<MemoryPool> forgetOnceFound() {
        MemoryPool pool = pool("found, then gone", LeakDetection.ALL);
        forget(pool);
        awaitLeak(pool);
        return new WeakReference<>(pool);
    }

    @Test
    void close_withoutLeaks_leavesNothing() {
        try (MemoryPool watched = pool("nothing left", LeakDetection.ALL);
                Arena arena = watched.openShared()) {
            arena.allocate(1000);
        }
        try (MemoryPool unwatched = pool("nothing left", LeakDetection.OFF)) {
            forget(unwatched);
        }
        assertThat(listed("nothing left")).isEmpty();
    }

    @Test
    void number_ofAPoolThatIsGone_isThatOfItsName() {
        try (MemoryPool _ = pool("second of two", LeakDetection.OFF)) {
            try (MemoryPool second = pool("second of two", LeakDetection.ALL)) {
                forget(second);
                awaitLeak(second);
            }
        }
        assertThat(listed("second of two")).hasSize(1);
        assertThat(listed("second of two").getFirst()).startsWith("second of two #2: 1 found");
    }

    @Test
    void bean_ofAnyPool_hasALineForEachThatIsGone() throws Exception {
        try (MemoryPool pool = pool("seen when gone", LeakDetection.ALL)) {
            forget(pool);
            awaitLeak(pool);
        }
        try (MemoryPool _ = pool("there still", LeakDetection.OFF)) {
            MBeanServer server = ManagementFactory.getPlatformMBeanServer();
            ObjectName name = new ObjectName("io.polder:type=MemoryPool,name=\"there still\"");
            Await.until("it is registered", () -> server.isRegistered(name));
            assertThat((String[]) server.getAttribute(name, "FormerLeaks"))
                    .anyMatch(line -> line.startsWith("seen when gone: 1 found, "));
        }
    }

    private static LeakDetector detector(String name) {
        LeakDetector leaks = new LeakDetector(name, new Background("former-pools-test"));
        leaks.set(true, true);
        return leaks;
    }

    private static LeakRecord leak(String where) {
        return new LeakRecord(Kind.BLOCKS, 1, 100, "main", List.of(where));
    }

    @Test
    void add_manyPools_keepsTheLastAndCountsTheOthers() {
        FormerPools former = new FormerPools();
        for (int i = 0; i < FormerPools.MAX + 3; i++) {
            LeakDetector leaks = detector("pool");
            leaks.report(List.of(leak("Some.where" + i)));
            former.add("pool", i, leaks);
            former.add("pool", i, leaks);
        }
        List<String> lines = former.lines();
        assertThat(lines).hasSize(FormerPools.MAX + 1);
        assertThat(lines.getFirst())
                .isEqualTo("pool #18: 1 found, 100 bytes, most from Some.where18");
        assertThat(lines.get(FormerPools.MAX - 1)).startsWith("pool #3: ");
        assertThat(lines.getLast()).isEqualTo("3 before them, which are not remembered");
    }

    @Test
    void add_somethingIsOpen_isListedOnceItLeaks() {
        FormerPools former = new FormerPools();
        LeakDetector leaks = detector("pool");
        LeakTracker open = Objects.requireNonNull(leaks.track(Kind.PAGE));
        former.add("pool", 1, leaks);
        assertThat(former.lines()).isEmpty();
        leaks.report(List.of(leak("Some.where")));
        assertThat(former.lines()).hasSize(1);
        LeakTracker.close(open);
    }

    @Test
    void add_nobodyLooked_leavesNothing() {
        FormerPools former = new FormerPools();
        former.add("pool", 1, new LeakDetector("pool", new Background("none")));
        assertThat(former.lines()).isEmpty();
    }
}
