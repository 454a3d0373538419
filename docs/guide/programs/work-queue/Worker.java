import io.parley.Peer;
import io.parley.pipes.Pipes;
import java.nio.file.Files;
import java.nio.file.Path;

/** Executes tasks until it is killed, and writes the result of each to DIRECTORY: Worker RENDEZVOUS DIRECTORY */
public class Worker {

    public static void main(String[] args) throws Exception {
        Path results = Files.createDirectories(Path.of(args[1]));
        try (Peer peer = Peer.wan().listen("tcp://0.0.0.0:0").multicast(false).rendezvous(args[0]).start()) {
            Pipes.of(peer).workQueue("render").work(task -> {
                String scene = task.text("scene").orElseThrow();
                Files.writeString(results.resolve(scene), scene); // the same file if the task is executed again
            });
            System.out.println("working");
            Thread.currentThread().join();
        }
    }
}
