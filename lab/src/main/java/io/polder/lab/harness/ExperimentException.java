package io.polder.lab.harness;

import org.jspecify.annotations.Nullable;

import java.io.Serial;

/** An experiment could not be measured. The message says why, to the user. */
public sealed class ExperimentException extends Exception permits InputException {
    @Serial private static final long serialVersionUID = 1L;

    /** Creates the exception with a message for the user. */
    public ExperimentException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** Throws if what an experiment needs of the system is not there. */
    public static void unless(boolean there, String message) throws ExperimentException {
        if (!there) {
            throw new ExperimentException(message, null);
        }
    }
}
