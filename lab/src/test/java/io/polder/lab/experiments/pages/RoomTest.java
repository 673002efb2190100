package io.polder.lab.experiments.pages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

@Timeout(300)
class RoomTest {
    private static final long MIB = 1 << 20;

    /** With the reserve of 4 MiB, the mutator may have 60. */
    private final Room room = new Room(64 * MIB, 16 * MIB);

    @Test
    void charge_whereLittleIsFree_isForThePowerOfTwoThatFits() throws Exception {
        assertThat(room.charge(4 * MIB, 32 * MIB)).isEqualTo(32 * MIB);
        assertThat(room.charge(4 * MIB, 32 * MIB)).isEqualTo(16 * MIB);
        assertThat(room.charge(4 * MIB, 32 * MIB)).isEqualTo(8 * MIB);
        assertThat(room.charge(4 * MIB, 32 * MIB)).isEqualTo(4 * MIB);
        assertThat(room.heldBytes()).isEqualTo(60 * MIB);
        assertThat(room.waits()).isZero();
    }

    @Test
    void chargeCollector_takesFromTheReserve() throws Exception {
        room.charge(32 * MIB, 32 * MIB);
        room.charge(16 * MIB, 16 * MIB);
        room.charge(8 * MIB, 8 * MIB);
        room.charge(4 * MIB, 4 * MIB);

        room.chargeCollector(2 * MIB);
        room.chargeCollector(2 * MIB);

        assertThatThrownBy(() -> room.chargeCollector(2 * MIB))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("the reserve is enough");
    }

    @Test
    void charge_whereTooLittleIsFree_waitsAndCallsTheCollector() throws Exception {
        room.charge(32 * MIB, 32 * MIB);
        room.charge(16 * MIB, 16 * MIB);
        room.charge(8 * MIB, 8 * MIB);
        assertThat(room.awaitCall()).isTrue();
        CompletableFuture<Long> charged = chargeAside(32 * MIB);

        assertThat(room.awaitCall()).isTrue();
        while (!room.isShort()) {
            assertThat(charged).isNotDone();
            Thread.sleep(1);
        }
        assertThat(charged).isNotDone();
        room.refund(32 * MIB);

        assertThat(charged.get()).isEqualTo(32 * MIB);
        assertThat(room.isShort()).isFalse();
        assertThat(room.waits()).isEqualTo(1);
        assertThat(room.waitNanosMax()).isPositive().isEqualTo(room.waitNanos());
    }

    @Test
    void fail_endsTheWait() throws Exception {
        room.charge(32 * MIB, 32 * MIB);
        CompletableFuture<Long> charged = chargeAside(32 * MIB);
        while (!room.isShort()) {
            assertThat(charged).isNotDone();
            Thread.sleep(1);
        }

        room.fail(new IllegalStateException("broken"));

        assertThatThrownBy(charged::get)
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseMessage("broken");
        assertThatThrownBy(room::requireNoFailure).isInstanceOf(AssertionError.class);
    }

    @Test
    void awaitCall_whenClosed_ends() throws Exception {
        room.close();

        assertThat(room.awaitCall()).isFalse();
    }

    private CompletableFuture<Long> chargeAside(long bytes) {
        CompletableFuture<Long> charged = new CompletableFuture<>();
        Thread.ofPlatform()
                .daemon()
                .start(
                        () -> {
                            try {
                                charged.complete(room.charge(bytes, bytes));
                            } catch (Throwable thrown) {
                                charged.completeExceptionally(thrown);
                            }
                        });
        return charged;
    }
}
