package io.parley.examples.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** Ends this process when its standard input ends, which happens when its parent process ends. */
public final class ParentProcessWatcher {

    private ParentProcessWatcher() {}

    public static void start(InputStream stdin) {
        Thread thread = new Thread(() -> awaitEnd(stdin), "parent-watch");
        thread.setDaemon(true);
        thread.start();
    }

    private static void awaitEnd(InputStream stdin) {
        try {
            stdin.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            // A failure counts as the end.
        }
        System.exit(1);
    }
}
