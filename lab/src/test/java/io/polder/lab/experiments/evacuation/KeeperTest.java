package io.polder.lab.experiments.evacuation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.heap.HeapOptions;
import io.polder.heap.space.HeapSettings;
import io.polder.lab.harness.Barrier;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** That what checks objects notices when one is lost or damaged. */
@EnabledOnOs(OS.LINUX)
class KeeperTest {
    private static final int SLOTS = 200;

    @Test
    void imprint_withAnyByteChanged_isNotIntact() {
        for (int size = 1; size <= 40; size++) {
            byte[] bytes = new byte[size];
            MemorySegment object = MemorySegment.ofArray(bytes);
            Imprint.write(object, 7, 3);
            assertThat(Imprint.isIntact(object, 7, 3)).isTrue();
            assertThat(Imprint.isIntact(object, 7, 4)).isFalse();
            for (int at = 0; at < size; at++) {
                bytes[at]++;
                assertThat(Imprint.isIntact(object, 7, 3))
                        .as("size %s, byte %s", size, at)
                        .isFalse();
                bytes[at]--;
            }
        }
        MemorySegment large = MemorySegment.ofArray(new byte[64]);
        Imprint.write(large, 7, 3);
        assertThat(Imprint.isIntact(large, 8, 3)).isFalse();
    }

    @Test
    void keeper_ofASoundHeap_losesNothing() {
        try (LabHeap heap = new LabHeap(HeapSettings.of(HeapOptions.DEFAULT).withFailEvery(2))) {
            Keeper keeper = new Keeper(heap.heap(), SLOTS, 0, 4096, 1);
            for (int i = 0; i < 20 * SLOTS; i++) {
                keeper.operate();
            }
            long _ = heap.heap().compact();
            keeper.checkAll();

            assertThat(keeper.lost()).isZero();
            assertThat(keeper.latencies().getTotalCount()).isEqualTo(20L * SLOTS);
        }
    }

    @Test
    void keeper_whoseObjectsAreDamaged_noticesEach() {
        try (LabHeap heap = new LabHeap(HeapSettings.of(HeapOptions.DEFAULT))) {
            Keeper keeper = new Keeper(heap.heap(), SLOTS, 0, 4096, 1);
            heap.heap()
                    .forEach(
                            handle ->
                                    heap.heap()
                                            .update(
                                                    handle,
                                                    object -> flip(object, object.byteSize() - 1)));
            keeper.checkAll();

            assertThat(keeper.lost()).isEqualTo(SLOTS);
        }
    }

    @Test
    void keeper_whoseObjectsAreGone_noticesEach() {
        try (LabHeap heap = new LabHeap(HeapSettings.of(HeapOptions.DEFAULT))) {
            Keeper keeper = new Keeper(heap.heap(), SLOTS, 0, 4096, 1);
            heap.heap().forEach(heap.heap()::free);
            keeper.checkAll();

            assertThat(keeper.lost()).isEqualTo(SLOTS);
        }
    }

    @Test
    void shiftRun_onAStoreThatDamagesValues_noticesEach() {
        Scale.ShiftPlan plan = Scale.SMOKE.shift();
        for (boolean sound : new boolean[] {true, false}) {
            try (ValueStore store = new MallocStore()) {
                LivingValues living = new LivingValues(plan.valuesMax());
                ShiftRun run = new ShiftRun(plan, store, living, 1, (_, _) -> {});
                run.run(ShiftPhase.C);
                if (!sound) {
                    for (int value = 0; value < living.count(); value++) {
                        store.update(living.key(value), MemorySegment.ofArray(new byte[8]));
                    }
                }
                assertThat(run.damaged()).isEqualTo(sound ? 0 : living.count());
                assertThat(living.bytes())
                        .isBetween(plan.budgetBytes() * 9 / 10, plan.budgetBytes());
                run.run(ShiftPhase.DELETED95);
                assertThat(living.count()).isBetween(1, 20);
                run.run(ShiftPhase.DELETED_ALL);
                assertThat(living.count()).isZero();
                assertThat(living.bytes()).isZero();
            }
        }
    }

    @Test
    void barrier_ofOneThatFailed_tellsTheOthers() throws Exception {
        Barrier barrier = new Barrier(2);
        Thread failing =
                Thread.ofPlatform()
                        .start(() -> barrier.fail(new AssertionError("broken on purpose")));
        failing.join();

        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(barrier::await)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("broken on purpose");
        }
    }

    @Test
    void keeperThreads_withAKeeperThatFails_failToo() throws Exception {
        try (LabHeap heap = new LabHeap(HeapSettings.of(HeapOptions.DEFAULT))) {
            Keeper keeper = new Keeper(heap.heap(), SLOTS, 0, 4096, 1);
            KeeperThreads threads = new KeeperThreads(List.of(keeper));
            threads.operateWhile(() -> {});
            threads.checkAll();
            heap.heap().close();

            assertThatThrownBy(threads::checkAll).hasMessageContaining("the heap is closed");
        }
    }

    private static void flip(MemorySegment object, long at) {
        byte found = object.get(ValueLayout.JAVA_BYTE, at);
        object.set(ValueLayout.JAVA_BYTE, at, (byte) ~found);
    }
}
