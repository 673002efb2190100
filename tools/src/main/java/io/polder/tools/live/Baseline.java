package io.polder.tools.live;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.polder.tools.attach.AttachException;
import io.polder.tools.attach.AttachException.Problem;
import io.polder.tools.result.Json;
import io.polder.tools.terminal.OutputFile;
import io.polder.tools.terminal.Printable;
import io.polder.tools.terminal.UnwrittenException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the pools of a JVM held once, kept in a file to be compared with later.
 *
 * @param takenAt when
 * @param pool which pools were asked for; null for all
 * @param pools what they held then
 */
record Baseline(Instant takenAt, @Nullable String pool, List<Sample> pools) {
    /** What to do where {@link #hasDirectory} says that there is none. */
    static final String NO_DIRECTORY =
            "you have no home directory: name a file by --file, or a directory by XDG_CACHE_HOME";

    /**
     * Where it is kept if the user does not say: in a directory of the user's, under a name that
     * no later process has.
     */
    static Path place(long pid) {
        String started =
                ProcessHandle.of(pid)
                        .flatMap(process -> process.info().startInstant())
                        .map(start -> Long.toString(start.toEpochMilli()))
                        .orElse("unknown");
        return directory().resolve("polder").resolve("baseline-" + pid + "-" + started + ".json");
    }

    /** Whether there is a directory of the user's; one that no list of users has may have none. */
    static boolean hasDirectory() {
        return directory().isAbsolute();
    }

    private static Path directory() {
        String cache = System.getenv("XDG_CACHE_HOME");
        return cache == null || !Path.of(cache).isAbsolute()
                ? Path.of(System.getProperty("user.home", ""), ".cache")
                : Path.of(cache);
    }

    /**
     * Writes it.
     *
     * @throws UnwrittenException if that cannot be
     */
    void write(Path file) throws UnwrittenException {
        Path directory = file.toAbsolutePath().getParent();
        try {
            if (directory != null) {
                Files.createDirectories(directory);
            }
        } catch (IOException e) {
            // Then the file cannot be written either, which is said.
        }
        OutputFile.write(file, Json.write(json()));
    }

    private Map<String, Object> json() {
        List<Map<String, Object>> all = new ArrayList<>();
        for (Sample pool : pools) {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("label", pool.label());
            map.putAll(pool.json());
            all.add(map);
        }
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("takenAt", takenAt.toString());
        if (pool != null) {
            json.put("pool", pool);
        }
        json.put("pools", all);
        return json;
    }

    /**
     * Reads it.
     *
     * @throws AttachException if there is none, or what there is cannot be read
     */
    static Baseline read(Path file) throws AttachException {
        try {
            JsonNode all = new ObjectMapper().readTree(Files.readString(file));
            List<Sample> pools = new ArrayList<>();
            for (JsonNode pool : all.path("pools")) {
                pools.add(
                        new Sample(
                                pool.path("label").asText(),
                                0,
                                pool.path("usedBytes").asLong(),
                                pool.path("committedBytes").asLong(),
                                pool.path("reservedBytes").asLong(),
                                pool.path("committedMaxBytes").asLong(),
                                pool.path("committedTotalBytes").asLong(),
                                pool.path("uncommittedTotalBytes").asLong(),
                                pool.path("blockBytes").asLong(),
                                pool.path("heaps").asInt(),
                                pool.path("leaked").asLong()));
            }
            return new Baseline(
                    Instant.parse(all.path("takenAt").asText()),
                    all.path("pool").textValue(),
                    pools);
        } catch (NoSuchFileException none) {
            throw new AttachException(
                    Problem.FAILED,
                    "there is no baseline; take one by polder baseline: file="
                            + Printable.of(file.toString()),
                    none);
        } catch (IOException | RuntimeException unreadable) {
            throw new AttachException(
                    Problem.FAILED,
                    "no baseline, as polder baseline writes it, is in "
                            + Printable.of(file.toString())
                            + ": "
                            + reason(unreadable),
                    unreadable);
        }
    }

    /** Why it cannot be read; what a library says of its own is for nobody. */
    private static String reason(Exception unreadable) {
        return switch (unreadable) {
            case JsonProcessingException json ->
                    "it is no JSON"
                            + (json.getLocation() == null
                                    ? ""
                                    : ", from line " + json.getLocation().getLineNr() + " on");
            case CharacterCodingException _ -> "it is no text";
            case AccessDeniedException _ -> "it may not be read";
            case IOException failed ->
                    "it cannot be read: " + Printable.of(String.valueOf(failed.getMessage()));
            default -> "it does not say when it was taken";
        };
    }

    /** Whether it may be written to a file: there is none, nothing in it, or a baseline. */
    static boolean mayReplace(Path file) {
        try {
            if (!Files.isRegularFile(file) || Files.size(file) == 0) {
                return true;
            }
            Baseline _ = read(file);
            return true;
        } catch (IOException | AttachException another) {
            return false;
        }
    }
}
