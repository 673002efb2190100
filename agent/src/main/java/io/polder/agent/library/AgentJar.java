package io.polder.agent.library;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * The jar that the agent was loaded from. Once opened it stays open: it may be replaced while
 * the program runs, and the process that attached may have attached a copy, which is deleted before
 * all that is in it is needed.
 *
 * <p>Thread-safe.
 */
public final class AgentJar {
    private @Nullable JarFile file;

    /** Opens nothing yet. */
    public AgentJar() {}

    /**
     * The jar.
     *
     * @throws IOException if it cannot be read, now that it is first asked for
     */
    public synchronized JarFile open() throws IOException {
        JarFile opened = file;
        if (opened == null) {
            opened = new JarFile(path().toFile());
            file = opened;
        }
        return opened;
    }

    /**
     * A class file of the agent's. Not by its loader, which opens the jar anew for each.
     *
     * @param name the name of the class
     * @throws IOException if it is not there, or the jar cannot be read
     */
    public byte[] classFile(String name) throws IOException {
        JarFile jar = open();
        JarEntry entry = jar.getJarEntry(name.replace('.', '/') + ".class");
        if (entry == null) {
            throw new IOException("the agent's jar must be complete: no " + name);
        }
        try (InputStream in = jar.getInputStream(entry)) {
            return in.readAllBytes();
        }
    }

    private static Path path() throws IOException {
        try {
            return Path.of(
                    AgentJar.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException | IllegalArgumentException e) {
            throw new IOException("the agent's jar must be a file", e);
        }
    }
}
