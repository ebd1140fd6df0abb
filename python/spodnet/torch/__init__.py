"""Layers and models of torch on spodnet's core."""
from .numpy_bridge import check_numpy

check_numpy()
from .deepgraph import DeepGraph, train_deepgraph
from .edges import compare_edges, edge_scores
from .layer import NumericalWarning, SpodLayer
from .model_files import load_model, load_reference_state_dict, save_model
from .models import E2E, PNP, UBG, PNPAny, UBGAny

__all__ = ["DeepGraph", "E2E", "NumericalWarning", "PNP", "PNPAny", "SpodLayer", "UBG", "UBGAny", "compare_edges",
           "edge_scores", "load_model", "load_reference_state_dict", "save_model", "train_deepgraph"]
