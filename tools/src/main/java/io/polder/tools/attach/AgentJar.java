package io.polder.tools.attach;

import java.nio.file.Files;
import java.nio.file.Path;

/** The agent, a jar that another JVM loads. Anyone who starts this JVM says where it is. */
public final class AgentJar {
    /** System property that names it. */
    static final String PROPERTY = "polder.agent.jar";

    private AgentJar() {}

    /**
     * Where it is.
     *
     * @throws IllegalStateException if it is not there
     */
    public static Path find() {
        String named = System.getProperty(PROPERTY);
        if (named == null || !Files.isReadable(Path.of(named))) {
            throw new IllegalStateException(
                    "the agent must be where -D" + PROPERTY + " says: " + PROPERTY + "=" + named);
        }
        return Path.of(named).toAbsolutePath().normalize();
    }
}
