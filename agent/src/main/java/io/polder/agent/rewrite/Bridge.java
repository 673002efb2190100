package io.polder.agent.rewrite;

import java.lang.constant.ClassDesc;

/** The classes that rewritten code calls. They are there once they have been asked for. */
interface Bridge {
    /**
     * The class with {@code ofConfined} and {@code ofShared}, without a parameter and with the
     * number of a call site.
     *
     * @throws IllegalStateException if it cannot be defined
     */
    ClassDesc bridge();

    /**
     * A class with one of these methods, without a parameter, that knows the number.
     *
     * @throws IllegalStateException if it cannot be defined
     */
    ClassDesc reference(CallSite site, int number);
}
