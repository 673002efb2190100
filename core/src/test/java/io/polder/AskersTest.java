package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.OtherThread;
import io.polder.leak.Collected;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.ref.WeakReference;
import java.util.function.BooleanSupplier;

/** Others stand back for a thread that has room made, and not for ever. */
@Timeout(300)
class AskersTest {
    private final Askers askers = new Askers();

    private static void elsewhere(Runnable does) {
        boolean _ =
                OtherThread.platform(
                        () -> {
                            does.run();
                            return true;
                        });
    }

    /** Again and again: who asked before the process stood still for long is not heard of. */
    private void askElsewhereUntil(String what, BooleanSupplier condition) {
        Await.until(
                what,
                () -> {
                    elsewhere(askers::asks);
                    return condition.getAsBoolean();
                });
    }

    @Test
    void isForOthers_aThreadHasAsked_areForAllButThoseWhoAsk() {
        assertThat(askers.isForOthers()).isFalse();
        askElsewhereUntil("there are others", askers::isForOthers);
        askers.asks();
        assertThat(askers.isForOthers()).isFalse();
        askers.refused();
        askElsewhereUntil("there are others again", askers::isForOthers);
    }

    @Test
    void asked_othersHaveRoomMade_saysSo() {
        askers.asks();
        assertThat(askers.asked()).isFalse();
        askElsewhereUntil("there are others", askers::asked);
    }

    @Test
    void isForOthers_theThreadIsRefused_areNoMore() {
        elsewhere(
                () -> {
                    askers.asks();
                    askers.refused();
                });
        assertThat(askers.isForOthers()).isFalse();
    }

    @Test
    void isForOthers_theThreadIsNotHeardOf_areNoMoreSoon() throws InterruptedException {
        elsewhere(askers::asks);
        elsewhere(
                () -> {
                    askers.asks();
                    boolean _ = askers.asked();
                });
        Await.until(() -> !askers.isForOthers());
    }

    /** Nobody may ask again, and then the loader of its classes would stay. */
    @Test
    void asked_theThreadEnds_keepsNothingOfIt() {
        WeakReference<Thread> ended = endedAfterAsking();
        Collected.until("the thread is forgotten", () -> ended.refersTo(null));
    }

    private WeakReference<Thread> endedAfterAsking() {
        Runnable asks =
                () -> {
                    askers.asks();
                    boolean _ = askers.asked();
                };
        Thread thread = Thread.ofPlatform().start(asks);
        Await.end(thread);
        return new WeakReference<>(thread);
    }
}
