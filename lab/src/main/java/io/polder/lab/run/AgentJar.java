package io.polder.lab.run;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The agent, which the build puts beside the lab: {@code agent/polder-agent.jar}. */
public final class AgentJar {
    private AgentJar() {}

    /**
     * Where it is.
     *
     * @throws IllegalStateException if it is not there
     */
    public static Path find() {
        Path lab;
        try {
            lab =
                    Path.of(
                            AgentJar.class
                                    .getProtectionDomain()
                                    .getCodeSource()
                                    .getLocation()
                                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException("the lab must lie in a directory", e);
        }
        Path jar = lab.resolveSibling("agent").resolve("polder-agent.jar");
        if (!Files.isReadable(jar)) {
            throw new IllegalStateException("the agent must lie beside the lab: no " + jar);
        }
        return jar;
    }
}
