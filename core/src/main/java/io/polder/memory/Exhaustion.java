package io.polder.memory;

/**
 * What a pool does about a request for which it has no memory.
 *
 * <p>Where users come in, the request is tried again as long as room was made, and refused then.
 * Both methods may run code of the program: they are called with no lock held.
 */
public interface Exhaustion {
    /** Of a pool that can make no room, and wants to know nothing. */
    Exhaustion IGNORED =
            new Exhaustion() {
                @Override
                public boolean makeRoom() {
                    return false;
                }

                @Override
                public void exhausted(MemoryExhaustedException exhausted) {}
            };

    /**
     * Makes room: closes what waits to be closed, and gives back what is kept at hand.
     *
     * @return whether any was made, so that another attempt is worth it
     */
    boolean makeRoom();

    /** Is told that a request is refused. */
    void exhausted(MemoryExhaustedException exhausted);
}
