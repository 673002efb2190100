package io.polder.agent;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;

/** A directory for a program's classes, and the program that runs there. */
abstract class ProgramFixture {
    @TempDir Path temporary;
    Path classes;
    Program program;

    @BeforeEach
    void makeDirectory() throws Exception {
        classes = Files.createDirectory(temporary.resolve("classes"));
        program = new Program(temporary);
    }
}
