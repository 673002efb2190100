package io.polder.gate;

import org.jspecify.annotations.Nullable;

import java.util.List;

/** What the system property {@value #PROPERTY} asks for. */
enum FenceSetting {
    /** The asymmetric fence wherever the system has one. */
    ASYMMETRIC("asymmetric"),

    /** The full fence, always. */
    FULL("full"),

    /** The asymmetric fence where the system has one and a self-test finds no fault with it. */
    AUTO("auto");

    static final String PROPERTY = "polder.gate.fence";

    private final String text;

    FenceSetting(String text) {
        this.text = text;
    }

    /**
     * Reads the setting. One that breaks the rule is not used: {@link #AUTO} is, and the complaint
     * says so.
     *
     * @param value the value of the property; null if it is not set
     * @param complaints gets a sentence if the value breaks the rule
     */
    static FenceSetting parse(@Nullable String value, List<String> complaints) {
        if (value == null) {
            return AUTO;
        }
        for (FenceSetting setting : values()) {
            if (setting.text.equals(value)) {
                return setting;
            }
        }
        complaints.add(
                PROPERTY
                        + " must be one of asymmetric, full, auto: value="
                        + value
                        + "; using "
                        + AUTO.text);
        return AUTO;
    }
}
