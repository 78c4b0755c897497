import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.opensearch.analysis.common.CommonAnalysisPlugin;
import org.opensearch.common.settings.Settings;
import org.opensearch.http.HttpServerTransport;
import org.opensearch.knn.plugin.KNNPlugin;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.plugins.Plugin;
import org.opensearch.transport.Netty4Plugin;

/** One node of OpenSearch on loopback, with k-NN, in this process: OneNode FOLDER. Says where it listens, and ends with its input. */
public final class OneNode extends Node {
  private OneNode(Settings settings, List<Class<? extends Plugin>> plugins) {
    super(InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), null, () -> "one"), plugins, false);
  }

  public static void main(String[] args) throws Exception {
    Settings settings =
        Settings.builder()
            .put("path.home", Path.of(args[0]))
            .put("cluster.name", "sheaf-" + ProcessHandle.current().pid())
            .put("discovery.type", "single-node")
            .put("network.host", "127.0.0.1")
            .put("http.port", "0")
            .put("transport.port", "0")
            .put("http.type", "netty4")
            .put("transport.type", "netty4")
            .put("cluster.routing.allocation.disk.threshold_enabled", false)
            .build();
    try (OneNode node = new OneNode(settings, List.of(Netty4Plugin.class, CommonAnalysisPlugin.class, KNNPlugin.class))) {
      node.start();
      System.out.println(
          "listening " + node.injector().getInstance(HttpServerTransport.class).boundAddress().publishAddress());
      while (System.in.read() >= 0) {}
    }
    System.exit(0);
  }
}
