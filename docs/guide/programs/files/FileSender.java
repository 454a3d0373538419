import io.parley.Peer;
import io.parley.message.Message;
import io.parley.pipes.OutputPipe;
import io.parley.pipes.Pipes;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;

/** Sends files: FileSender RENDEZVOUS FILE... */
public class FileSender {

    public static void main(String[] args) throws Exception {
        Duration timeout = Duration.ofMinutes(1);
        try (Peer peer = Peer.wan().listen("tcp://0.0.0.0:0").multicast(false).rendezvous(args[0]).start();
                OutputPipe out = Pipes.of(peer).connect("files", timeout)) {
            for (String file : List.of(args).subList(1, args.length)) {
                out.send(Message.of("file", Path.of(file).getFileName().toString()), timeout);
                MessageDigest digest = MessageDigest.getInstance("SHA-256");
                try (var in = new DigestInputStream(Files.newInputStream(Path.of(file)), digest)) {
                    for (byte[] part; (part = in.readNBytes(64 * 1024)).length > 0; ) {
                        out.send(Message.of("part", part), timeout);
                    }
                }
                out.send(Message.of("sha256", HexFormat.of().formatHex(digest.digest())), timeout);
            }
            out.send(Message.of("end", ""), timeout);
        }
    }
}
