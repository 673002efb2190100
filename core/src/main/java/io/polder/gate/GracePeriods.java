package io.polder.gate;

/**
 * How those who wait know of readers that mark their critical sections in {@link Slots}, and of
 * virtual ones that are counted in {@link Stripes}.
 *
 * <pre>{@code
 *   reader                              waiter
 *   ------                              ------
 *   write slot: inside   (release)      write what readers are to see: CLOSED, or data
 *   fence                               fence
 *   read signals         (acquire)      read all slots           (acquire)
 *   read data            (any mode)     for each one inside: wait until it is in another critical
 *   write slot: outside  (release)        section, or in none    (acquire)
 * }</pre>
 *
 * <p><b>The claim.</b> When {@link #synchronize} returns, each critical section has either ended,
 * and all it did has happened before, or it sees all that was written before the call, CLOSED
 * included.
 *
 * <p><b>Why.</b> Reader and waiter both write and then read what the other wrote, with a fence in
 * between. So if the waiter does not find the reader inside, the reader finds what was written. If
 * the waiter finds it inside, it waits for the release that ends the critical section, or begins
 * the next.
 *
 * <p><b>The fence</b> is asymmetric: the reader only keeps its compiler from moving the read before
 * the write, and the waiter fences {@linkplain io.polder.memory.ProcessFence all threads}. A reader
 * is then either fenced after its write, which is seen, or before it, and reads later.
 *
 * <p><b>Closing</b> puts CLOSED into all signals and waits for the critical sections that began
 * earlier. A reader that finds CLOSED ends its critical section at once, having done nothing in it.
 * So slots may be seen occupied for moments while the gate is closed; a thread that waits for one
 * critical section is not misled by the next.
 *
 * <p><b>A slot that is new</b> is published, with the signals that all have, before its thread
 * passes a full fence, which comes before its first critical section. A waiter that does not know
 * the slot has thus fenced before that.
 *
 * <p><b>Waking.</b> A reader that leaves writes its slot and reads its signals; the waiter writes
 * WAITING, fences and reads the slot. So one of them sees the other.
 */
class GracePeriods {
    private final ReaderRegistry readers;
    private final Stripes virtual;
    private final Runnable fence;

    /**
     * Those of these readers, and of those in stripes.
     *
     * @param readers of platform threads
     * @param virtual for virtual threads
     * @param fence fences all threads
     */
    GracePeriods(ReaderRegistry readers, Stripes virtual, Runnable fence) {
        this.readers = readers;
        this.virtual = virtual;
        this.fence = fence;
    }

    /** Lets no critical section begin any more. {@link #synchronize} waits for those that have. */
    void mark() {
        readers.addSignal(Slots.CLOSED);
        virtual.mark();
    }

    /** Undoes {@link #mark}. */
    void unmark() {
        virtual.unmark();
        readers.removeSignal(Slots.CLOSED);
    }

    /** Waits until the critical sections have ended that had begun before the call. */
    void synchronize() {
        fence.run();
        Accessor[] all = readers.readers;
        long[] sections = new long[all.length];
        for (int i = 0; i < all.length; i++) {
            sections[i] = Slots.sectionAcquire(all[i].words);
        }
        virtual.synchronize();
        SectionsOver over = new SectionsOver(all, sections);
        virtual.readerWait.await(over::isOver, over::prepareToSleep);
    }

    /** Whether all of these critical sections have ended: one wait, and one fence, for all. */
    private final class SectionsOver {
        private final Accessor[] all;
        private final long[] sections;

        /** The first one that is not known to be over. */
        private int first;

        /** Whether the readers wake who waits. Until its section is over, nobody undoes that. */
        private boolean told;

        SectionsOver(Accessor[] all, long[] sections) {
            this.all = all;
            this.sections = sections;
        }

        boolean isOver() {
            while (first < all.length && isOver(first)) {
                first++;
            }
            return first == all.length;
        }

        private boolean isOver(int i) {
            long section = sections[i];
            return !CriticalSection.isInside(section)
                    || !CriticalSection.lasts(section, Slots.sectionAcquire(all[i].words))
                    || all[i].isNotEnded(section); // cut short: nothing of it comes after
        }

        void prepareToSleep() {
            readers.reapEnded();
            if (!told) {
                for (int i = first; i < all.length; i++) {
                    if (!isOver(i)) {
                        Slots.addSignal(all[i].words, Slots.WAITING);
                    }
                }
                fence.run();
                told = true;
            }
        }
    }
}
