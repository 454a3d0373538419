import io.parley.Peer;
import io.parley.pipes.Pipes;
import io.parley.pipes.SubscriptionOptions;
import io.parley.pipes.TopicSubscription;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Follows prices until LAST, each or only the newest: PriceSubscriber RENDEZVOUS LAST each|newest PAUSE_MILLIS */
public class PriceSubscriber {

    public static void main(String[] args) throws Exception {
        SubscriptionOptions options =
                args[2].equals("each") ? SubscriptionOptions.blocking() : SubscriptionOptions.newestOnly();
        try (Peer peer = Peer.wan().listen("tcp://0.0.0.0:0").multicast(false).rendezvous(args[0]).start();
                TopicSubscription prices = Pipes.of(peer).topic("prices").subscribe(options)) {
            System.out.println("subscribed");
            int received = 0;
            String price = "none";
            while (!price.equals(args[1])) {
                price = prices.receive(Duration.ofMinutes(2)).orElseThrow().text("price").orElseThrow();
                received++;
                Thread.sleep(Long.parseLong(args[3]));
            }
            prices.whenPublishersLeft().get(2, TimeUnit.MINUTES); // each reports what it has dropped before it leaves
            System.out.println("received " + received + ", missed " + prices.missedMessages() + ", last " + price);
        }
    }
}
