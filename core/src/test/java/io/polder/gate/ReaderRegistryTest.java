package io.polder.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;

import javax.management.JMException;
import javax.management.ObjectName;

/** Who is known, who finds whom, and what {@code verify} finds broken. */
class ReaderRegistryTest {
    private final Stripes stripes = new Stripes(1, new ReaderWait());
    private final ReaderRegistry readers = new ReaderRegistry(stripes);

    private Accessor find() {
        return readers.findOrRegister(Thread.currentThread());
    }

    @Test
    void find_again_isTheSame() {
        Accessor first = find();
        assertThat(first.ownerId).isEqualTo(Thread.currentThread().threadId());
        assertThat(find()).isSameAs(first);
        assertThat(GateCheck.threads(readers)).isEqualTo(1);
    }

    @Test
    void register_whileSignalled_givesTheSlotTheSignal() {
        readers.addSignal(Slots.CLOSED);
        Accessor reader = find();
        assertThat(reader.begin()).isZero();
        GateCheck.verify(readers, Slots.CLOSED);
        readers.removeSignal(Slots.CLOSED);
        reader.end(reader.begin());
        GateCheck.verifyEmpty(readers);
    }

    @Test
    void register_afterAThreadThatEndedInside_forgetsItAndEndsItsSection() {
        AtomicReference<Accessor> gone = new AtomicReference<>();
        try (ScriptedThread guest = ScriptedThread.platform()) {
            guest.run(
                    () -> {
                        gone.set(find());
                        gone.get().begin();
                    });
        }
        assertThat(gone.get().isInside()).isTrue();
        Accessor here = find();
        assertThat(readers.readers).containsExactly(here);
        assertThat(gone.get().isInside()).isFalse();
        assertThat(GateCheck.endedInside(readers)).isEqualTo(1);
        GateCheck.verifyEmpty(readers);
    }

    @Test
    void register_afterManyThreadsThatEnded_forgetsThemAllAtOnce() throws JMException {
        Accessor[] ended = new Accessor[2_000];
        Arrays.setAll(ended, _ -> readerOf(new Thread(() -> {}))); // not started: as if it had
        readers.readers = ended;
        Accessor here = find();
        assertThat(readers.readers).containsExactly(here);

        long before = allocatedBytes();
        readers.readers = ended;
        assertThat(find()).isNotSameAs(here);
        long more = allocatedBytes() - before;
        assertThat(more)
                .as("no list of all for each of them")
                .isLessThan(50L * Long.BYTES * ended.length);
    }

    /** To ask all threads is most of what the first use by a thread takes. */
    @Test
    void register_amongManyThreads_asksThemOnceTheyAreAnEighthMore() {
        try (ScriptedThread guest = ScriptedThread.platform()) {
            Accessor[] living = new Accessor[100];
            Arrays.setAll(living, _ -> readerOf(guest.thread()));
            readers.readers = living;
            guest.run(this::find);
            Accessor ended = readerOf(new Thread(() -> {}));
            readers.readers = Arrays.copyOf(living, 111);
            Arrays.fill(readers.readers, living.length, 111, ended);
            Accessor here = find();
            assertThat(readers.readers).hasSize(112).contains(ended, here);
            guest.run(() -> readers.findOrRegister(new Thread(() -> {})));
            assertThat(readers.readers).hasSize(102).contains(here).doesNotContain(ended);
        }
    }

    private static long allocatedBytes() throws JMException {
        return (long)
                ManagementFactory.getPlatformMBeanServer()
                        .invoke(
                                new ObjectName(ManagementFactory.THREAD_MXBEAN_NAME),
                                "getThreadAllocatedBytes",
                                new Object[] {Thread.currentThread().threadId()},
                                new String[] {long.class.getName()});
    }

    private Accessor readerOf(Thread thread) {
        return new Accessor(thread, Slots.slot(0), stripes);
    }

    @Test
    void verify_signalMissing_throws() {
        Accessor reader = find();
        readers.addSignal(Slots.CLOSED);
        Slots.removeSignal(reader.words, Slots.CLOSED);
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> GateCheck.verify(readers, 0))
                .withMessageContaining("every slot has the signals of all");
    }

    @Test
    void verifyEmpty_somebodyInside_throws() {
        find().begin();
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> GateCheck.verifyEmpty(readers))
                .withMessageContaining("nobody is inside");
    }

    @Test
    void section_numbersThatWrap_stayApart() {
        long last = (-1L << Integer.SIZE) + 1;
        long next = CriticalSection.ended(last) + CriticalSection.BEGIN;
        assertThat(CriticalSection.isInside(next)).isTrue();
        assertThat(CriticalSection.lasts(last, next)).isFalse();
        assertThat(CriticalSection.lasts(last, last)).isTrue();
        assertThat(CriticalSection.lasts(last, CriticalSection.ended(last))).isFalse();
    }
}
