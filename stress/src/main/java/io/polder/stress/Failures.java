package io.polder.stress;

/** What becomes of exceptions that leave a thread of a soak. */
final class Failures {
    /** Some threads leave through this one while their arena is open. */
    static final class OnPurpose extends RuntimeException {
        private static final long serialVersionUID = 1L;

        OnPurpose() {
            super("on purpose", null, false, false);
        }
    }

    private Failures() {}

    /** Any other exception ends the JVM: a soak must not go on with a thread less. */
    static void end(Thread thread, Throwable failure) {
        if (!(failure instanceof OnPurpose)) {
            System.err.println("in " + thread + ":");
            failure.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }
}
