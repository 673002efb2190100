package io.polder;

import java.lang.foreign.Arena;

/** What a test of the contract of {@link Arena} is run against. */
interface ArenaUnderTest {
    /** Opens an arena that the running thread may use and close. */
    Arena open();

    /** How much of an arena comes from its slab; 0 if arenas are the JDK's. */
    default long slabBytes() {
        return 0;
    }
}
