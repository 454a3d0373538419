import io.parley.Peer;
import io.parley.message.Message;
import io.parley.pipes.Pipes;
import io.parley.pipes.TopicPublisher;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Publishes COUNT prices to SUBSCRIBERS peers: PricePublisher RENDEZVOUS SUBSCRIBERS COUNT */
public class PricePublisher {

    public static void main(String[] args) throws Exception {
        try (Peer peer = Peer.wan().listen("tcp://0.0.0.0:0").multicast(false).rendezvous(args[0]).start();
                TopicPublisher prices = Pipes.of(peer).topic("prices").openPublisher()) {
            while (prices.receivers().size() < Integer.parseInt(args[1])) {
                Thread.sleep(10);
            }
            for (int n = 1; n <= Integer.parseInt(args[2]); n++) {
                prices.send(Message.of("price", Integer.toString(n)), Duration.ofSeconds(30));
            }
            prices.whenIdle().get(30, TimeUnit.SECONDS); // every subscriber that wants each price has the last one
        }
        System.out.println("published " + args[2] + " prices");
    }
}
