package io.parley.examples.demo;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * A temporary directory and the processes that run in it. Closing it, or an interrupt of this process, kills the processes
 * and deletes the directory.
 */
final class DemoWorkspace implements AutoCloseable {

    private final Path directory;
    private final Deque<ChildProcess> children = new ConcurrentLinkedDeque<>();
    private final Thread atExit = new Thread(this::clean, "demo-cleaner");

    private DemoWorkspace(Path directory) {
        this.directory = directory;
    }

    static DemoWorkspace open() throws IOException {
        DemoWorkspace workspace = new DemoWorkspace(Files.createTempDirectory("parley-demo-"));
        Runtime.getRuntime().addShutdownHook(workspace.atExit);
        return workspace;
    }

    Path path(String name) {
        return directory.resolve(name);
    }

    /** Starts a command in the directory. */
    ChildProcess start(String name, String... command) throws IOException {
        ChildProcess child = ChildProcess.start(name, directory, List.of(command));
        children.push(child);
        return child;
    }

    @Override
    public void close() {
        clean();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // The JVM is ending already, and the hook finds no files.
        }
    }

    private synchronized void clean() {
        children.forEach(ChildProcess::close);
        if (!Files.exists(directory)) {
            return;
        }
        try {
            Files.walkFileTree(directory, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.deleteIfExists(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path visited, java.io.IOException failure)
                        throws IOException {
                    Files.deleteIfExists(visited);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            System.err.println("Cannot delete the directory " + directory + ": " + e.getMessage());
        }
    }
}
