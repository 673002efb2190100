package io.polder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.background.Background;
import io.polder.leak.Collected;
import io.polder.leak.Kind;
import io.polder.leak.LeakRecord;
import io.polder.leak.LeakTracker;
import io.polder.leak.LeakWatch;

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
import javax.management.openmbean.CompositeData;

/** What is known of the leaks of pools that were closed, or became unreachable. */
@EnabledOnOs(OS.LINUX)
class FormerPoolsTest {
    private static MemoryPool pool(String name, LeakDetection leaks) {
        return MemoryPool.builder().name(name).leaks(leaks).build();
    }

    private static List<FormerPool> listed(String name) {
        return MemoryPool.formerPools().stream().filter(each -> each.name().equals(name)).toList();
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
        FormerPool former = listed("closed with a leak").getFirst();
        assertThat(former.number()).isEqualTo(1);
        assertThat(former.leaks()).isEqualTo(pool.stats().leaks());
        assertThat(former.leaks().leakedBytes()).isEqualTo(1024);
        PoolStatistics.LeakSite site = former.leaks().sites().getFirst();
        assertThat(site.kind()).isEqualTo("shared arena");
        assertThat(site.openedAt().getFirst()).contains("FormerPoolsTest.forget(");
        pool.close();
        assertThat(listed("closed with a leak")).as("closed again").hasSize(1);
        String report = MemoryPool.reportAll();
        assertThat(report.substring(report.indexOf("Former pools, closed or unreachable, ")))
                .containsSubsequence(
                        "\nFormer pool closed with a leak\n",
                        "  1 found, 1.00 KB, 0 watched now\n",
                        "  1 x shared arena, 1.00 KB, last by thread ",
                        "io.polder.FormerPoolsTest.forget(");
    }

    @Test
    void close_blocksAreLeft_areListed() {
        try (MemoryPool pool = pool("closed with blocks", LeakDetection.ALL)) {
            long block = pool.blocks().allocate(100);
            assertThat(block).isNotZero();
        }
        FormerPool former = listed("closed with blocks").getFirst();
        assertThat(former.leaks().sites().getFirst().kind()).isEqualTo("blocks");
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
        assertThat(listed("closed, then a leak").getFirst().leaks().leaked()).isEqualTo(1);
    }

    @Test
    void unreachable_withWhatItHandedOut_isListed() {
        forgetWithItsPool();
        awaitListed("nobody closed it");
        assertThat(listed("nobody closed it").getFirst().leaks().leakedBytes()).isEqualTo(1024);
    }

    private static void forgetWithItsPool() {
        forget(pool("nobody closed it", LeakDetection.ALL));
    }

    @Test
    void unreachable_leaksWereFound_keepsNoPool() {
        WeakReference<MemoryPool> pool = forgetOnceFound();
        Collected.until("it is unreachable", () -> pool.refersTo(null));
        awaitListed("found, then gone");
        assertThat(MemoryPool.reportAll()).contains("\nFormer pool found, then gone\n");
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
        assertThat(listed("second of two").getFirst().number()).isEqualTo(2);
        assertThat(MemoryPool.reportAll()).contains("\nFormer pool second of two #2\n");
    }

    @Test
    void formerPools_changed_isRefused() {
        List<FormerPool> pools = MemoryPool.formerPools();
        assertThatThrownBy(pools::clear).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void bean_ofPoolsThatAreGone_isOpenData() throws Exception {
        try (MemoryPool pool = pool("seen when gone", LeakDetection.ALL)) {
            forget(pool);
            awaitLeak(pool);
        }
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName name = new ObjectName("io.polder:type=FormerPools");
        Await.until("it is registered", () -> server.isRegistered(name));
        CompositeData[] pools = (CompositeData[]) server.getAttribute(name, "Pools");
        CompositeData found = null;
        for (CompositeData each : pools) {
            found = each.get("name").equals("seen when gone") ? each : found;
        }
        CompositeData leaks = (CompositeData) Objects.requireNonNull(found).get("leaks");
        assertThat(leaks.get("leaked")).isEqualTo(1L);
        assertThat((CompositeData[]) leaks.get("sites")).hasSize(1);
        assertThat((long) server.getAttribute(name, "Forgotten")).isGreaterThanOrEqualTo(0);
        assertThat((String) server.invoke(name, "report", null, null))
                .contains("\nFormer pool seen when gone\n");
    }

    private static LeakWatch watch(String name) {
        LeakWatch watch = new LeakWatch(name, new Background("former-pools-test"));
        watch.set(LeakWatch.Level.ALL);
        return watch;
    }

    private static LeakRecord leak(String where) {
        return new LeakRecord(Kind.BLOCKS, 1, 100, "main", List.of(where));
    }

    @Test
    void add_manyPools_keepsTheLastAndCountsTheOthers() {
        FormerPools former = new FormerPools();
        for (int i = 0; i < FormerPools.LISTED_MAX + 3; i++) {
            LeakWatch leaks = watch("pool");
            leaks.blocksLeft(List.of(leak("Some.where" + i)));
            assertThat(former.add("pool", i, leaks)).isFalse();
            assertThat(former.add("pool", i, leaks)).as("again").isFalse();
        }
        assertThat(former.pools()).hasSize(FormerPools.LISTED_MAX);
        assertThat(former.pools().getFirst().number()).isEqualTo(FormerPools.LISTED_MAX + 2);
        assertThat(former.pools().getLast().number()).isEqualTo(3);
        assertThat(former.forgotten()).isEqualTo(3);
        assertThat(LeakText.of(former.pools(), former.forgotten()))
                .startsWith(
                        "Former pools, closed or unreachable, that left leaks: "
                                + (FormerPools.LISTED_MAX + 3)
                                + "\n\nFormer pool pool #")
                .endsWith("\n3 before them, which are not remembered\n");
    }

    @Test
    void add_somethingIsOpen_isAwaitedUntilItIsClosed() {
        FormerPools former = new FormerPools();
        LeakWatch leaks = watch("pool");
        LeakTracker open = Objects.requireNonNull(leaks.track(Kind.PAGE));
        assertThat(former.add("pool", 1, leaks)).isTrue();
        assertThat(former.add("pool", 1, leaks)).as("again").isTrue();
        assertThat(former.awaited()).isEqualTo(1);
        assertThat(former.look()).isTrue();
        open.close();
        assertThat(former.look()).isFalse();
        assertThat(former.awaited()).isZero();
        assertThat(former.pools()).isEmpty();
    }

    @Test
    void add_nobodyLooked_leavesNothing() {
        FormerPools former = new FormerPools();
        assertThat(former.add("pool", 1, new LeakWatch("pool", new Background("none")))).isFalse();
        assertThat(former.awaited()).isZero();
        assertThat(former.pools()).isEmpty();
        assertThat(LeakText.of(former.pools(), former.forgotten())).isEmpty();
    }
}
