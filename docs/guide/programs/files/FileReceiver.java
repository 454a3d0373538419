import io.parley.Peer;
import io.parley.message.Message;
import io.parley.pipes.InputPipe;
import io.parley.pipes.Pipes;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;

/** Receives files from one sender: FileReceiver RENDEZVOUS DIRECTORY */
public class FileReceiver {

    public static void main(String[] args) throws Exception {
        Duration timeout = Duration.ofMinutes(1);
        try (Peer peer = Peer.wan().listen("tcp://0.0.0.0:0").multicast(false).rendezvous(args[0]).start();
                InputPipe in = Pipes.of(peer).open("files")) {
            System.out.println("waiting for files");
            Message next = in.receive(timeout).orElseThrow().message();
            while (next.element("end").isEmpty()) {
                Path name = Path.of(next.text("file").orElseThrow()).getFileName();
                MessageDigest digest = MessageDigest.getInstance("SHA-256");
                try (var file = new DigestOutputStream(Files.newOutputStream(Path.of(args[1]).resolve(name)), digest)) {
                    for (next = in.receive(timeout).orElseThrow().message();
                            next.element("part").isPresent();
                            next = in.receive(timeout).orElseThrow().message()) {
                        next.element("part").orElseThrow().payload().writeTo(file);
                    }
                }
                boolean equal = next.text("sha256").orElseThrow().equals(HexFormat.of().formatHex(digest.digest()));
                System.out.println(name + (equal ? " is equal" : " is damaged"));
                next = in.receive(timeout).orElseThrow().message();
            }
        }
    }
}
