package io.parley.sockets;

import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** A process whose virtual threads have sockets, and that prints the events of pinned carrier threads. Its arguments: sockets, requests. */
final class VirtualThreadsProcess {

    private VirtualThreadsProcess() {}

    public static void main(String[] arguments) throws Exception {
        int sockets = Integer.parseInt(arguments[0]);
        int requests = Integer.parseInt(arguments[1]);
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        RequestLoad load = new RequestLoad(task -> {
            try {
                start.invoke(null, task);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        });
        Path file = Files.createTempFile("pinned", ".jfr");
        try (SocketPeers peers = SocketPeers.tcp();
                Recording recording = new Recording()) {
            recording
                    .enable("jdk.VirtualThreadPinned")
                    .withThreshold(Duration.ZERO)
                    .withStackTrace();
            load.run(peers, 2, 2); // the initialization of classes pins, whatever they do
            recording.start();
            load.run(peers, sockets, requests);
            recording.stop();
            recording.dump(file);
        }
        int pinned = 0;
        for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
            if (event.getEventType().getName().equals("jdk.VirtualThreadPinned")) {
                pinned++;
                System.out.println(event);
            }
        }
        Files.delete(file);
        System.out.println("pinned: " + pinned);
        System.exit(0);
    }
}
